"""The report on a class as one page."""

from kata.grading.reports.class_page.page import write as write
