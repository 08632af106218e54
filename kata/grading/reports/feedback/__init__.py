"""A page of feedback for each student."""

from kata.grading.reports.feedback.pages import write as write
