"""Before and after through torch: outputs, side effects, gradients. Only here and in `diagnosis` is torch imported."""
