"""The work of students: exports of learning platforms, folders, zips and tars, read as data."""
