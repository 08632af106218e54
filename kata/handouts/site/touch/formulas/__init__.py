"""What each exhibit computes, in torch.

A formula takes the inputs, the chosen line and the knobs, and gives the right map, the map of that
line, and what else is measured. `pages` has every state computed, and a page looks them up.
"""

from kata.handouts.site.touch.formulas import layers, layouts, masks, softmax
from kata.handouts.site.touch.formulas.result import Formula

FORMULAS: dict[str, Formula] = {
    "masks": masks.masks,
    "fills": masks.fills,
    "empty-rows": masks.empty_rows,
    "scale": softmax.scale,
    "axis": softmax.axis,
    "dropout": softmax.dropout,
    "split": layouts.split,
    "merge": layouts.merge,
    "fused": layouts.fused,
    "norm": layers.norm,
    "leak": layers.leak,
    "positions": layers.positions,
}
