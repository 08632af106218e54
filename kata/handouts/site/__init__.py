"""The site: the exercises, and the museum of wrong answers, as pages that open without a server."""
