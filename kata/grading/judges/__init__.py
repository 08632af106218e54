"""Judges in processes of their own, here and on a cluster."""
