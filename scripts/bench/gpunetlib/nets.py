"""The one table of nets: the spec of each, its batch, what a sample is, and how small it may be made for a look on CPUs."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Net:
    name: str
    batch: int
    small: dict  # params of the spec with which a step takes a moment on a CPU
    samples: str = "images"

    @property
    def spec(self):
        return f"{self.name}.yaml"


NETS = [
    Net("alexnet", 128, {"batch": 2, "side": 67, "scale": 64, "classes": 10}),
    Net("overfeat", 128, {"batch": 2, "side": 71, "scale": 32, "classes": 10}),
    Net("vgg_a", 64, {"batch": 2, "side": 32, "scale": 64, "classes": 10}),
    Net("googlenet", 128, {"batch": 2, "side": 32, "scale": 8, "classes": 10}),
    # Smaller, its batch normalisations of two values each would make other losses of any rounding.
    Net("resnet50", 64, {"batch": 4, "side": 64, "scale": 32, "classes": 10}),
    Net("gpt2", 8, {"batch": 2, "length": 8, "width": 16, "heads": 2, "vocabulary": 50}, "sequences"),
    Net("lstm", 20, {"batch": 2, "width": 8, "vocabulary": 50}, "sequences"),
    Net("mlp", 32, {}, "samples"),
]

# How numbers are computed: what the spec is set to, and the dtype of the peers' weights and whether they may use TF32.
PRECISIONS = {
    "float32": {"precision": "float32"},
    "tf32": {"precision": "tf32"},
    "bfloat16": {"type": "bfloat16", "loss": "loss_of_bfloat16"},
}


def params_of(net, precision, small, batch, device):
    """What `--set` gives a spec."""
    params = dict(net.small if small else {"batch": net.batch})
    if batch:
        params["batch"] = batch
    params.update(PRECISIONS[precision])
    params["device"] = device
    return params
