"""Pictures for pages and notebooks: heat maps and curves, as SVG and as characters."""
