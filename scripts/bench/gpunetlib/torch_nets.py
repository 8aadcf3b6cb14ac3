"""The nets of scripts/bench/nets in PyTorch: modules, and the batch of each."""
import torch
from torch import nn
from torch.nn import functional


def conv(inputs, filters, size=3, stride=1, padding=None):
    return nn.Sequential(nn.Conv2d(inputs, filters, size, stride, size // 2 if padding is None else padding),
                         nn.ReLU(inplace=True))


def pool(size=2, stride=2, padding=0):
    return nn.MaxPool2d(size, stride, padding)


def classifier(inputs, hidden, classes):
    layers = [nn.Flatten()]
    for units in hidden:
        layers += [nn.Linear(inputs, units), nn.ReLU(inplace=True)]
        inputs = units
    return layers + [nn.Linear(inputs, classes)]


def alexnet(classes):
    return nn.Sequential(
        conv(3, 64, 11, 4, 0), pool(3), conv(64, 192, 5), pool(3), conv(192, 384), conv(384, 256), conv(256, 256), pool(3),
        *classifier(256 * 36, [4096, 4096], classes))


def overfeat(classes):
    return nn.Sequential(
        conv(3, 96, 11, 4, 0), pool(), conv(96, 256, 5, 1, 0), pool(), conv(256, 512), conv(512, 1024), conv(1024, 1024),
        pool(), *classifier(1024 * 36, [3072, 4096], classes))


def vgg_a(classes):
    return nn.Sequential(
        conv(3, 64), pool(), conv(64, 128), pool(), conv(128, 256), conv(256, 256), pool(), conv(256, 512), conv(512, 512),
        pool(), conv(512, 512), conv(512, 512), pool(), *classifier(512 * 49, [4096, 4096], classes))


class Inception(nn.Module):
    def __init__(self, inputs, one, three_in, three, five_in, five, pooled):
        super().__init__()
        self.branches = nn.ModuleList([
            conv(inputs, one, 1), nn.Sequential(conv(inputs, three_in, 1), conv(three_in, three)),
            nn.Sequential(conv(inputs, five_in, 1), conv(five_in, five, 5)),
            nn.Sequential(pool(3, 1, 1), conv(inputs, pooled, 1))])

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


class MeanOfPixels(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


def googlenet(classes):
    widths = {"3a": (192, 64, 96, 128, 16, 32, 32), "3b": (256, 128, 128, 192, 32, 96, 64),
              "4a": (480, 192, 96, 208, 16, 48, 64), "4b": (512, 160, 112, 224, 24, 64, 64),
              "4c": (512, 128, 128, 256, 24, 64, 64), "4d": (512, 112, 144, 288, 32, 64, 64),
              "4e": (528, 256, 160, 320, 32, 128, 128), "5a": (832, 256, 160, 320, 32, 128, 128),
              "5b": (832, 384, 192, 384, 48, 128, 128)}
    layers = [conv(3, 64, 7, 2), pool(3, 2, 1), conv(64, 64, 1), conv(64, 192), pool(3, 2, 1)]
    for name, sizes in widths.items():
        if name in ("4a", "5a"):
            layers.append(pool(3, 2, 1))
        layers.append(Inception(*sizes))
    return nn.Sequential(*layers, MeanOfPixels(), nn.Linear(1024, classes))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride, has_own):
        super().__init__()
        self.branch = nn.Sequential(
            *norm_conv(inputs, width, 1), nn.ReLU(inplace=True), *norm_conv(width, width, 3, stride), nn.ReLU(inplace=True),
            *norm_conv(width, 4 * width, 1))
        self.own = nn.Sequential(*norm_conv(inputs, 4 * width, 1, stride)) if has_own else nn.Identity()

    def forward(self, x):
        return functional.relu(self.branch(x) + self.own(x))


def norm_conv(inputs, filters, size, stride=1):
    return [nn.Conv2d(inputs, filters, size, stride, size // 2, bias=False), nn.BatchNorm2d(filters)]


def resnet50(classes):
    layers = [*norm_conv(3, 64, 7, 2), nn.ReLU(inplace=True), pool(3, 2, 1)]
    inputs = 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(blocks):
            layers.append(Bottleneck(inputs, width, 2 if i == 0 and width > 64 else 1, i == 0))
            inputs = 4 * width
    return nn.Sequential(*layers, MeanOfPixels(), nn.Linear(2048, classes))


def mlp(classes):
    return nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, classes))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, 2))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.wide(self.norm2(x))


class Gpt2(nn.Module):
    def __init__(self, vocabulary=50257, length=1024, width=768, heads=12, blocks=12):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.norm(self.blocks(self.table(tokens) + self.positions))
        return functional.linear(x, self.table.weight).flatten(0, 1)


class Lstm(nn.Module):
    def __init__(self, vocabulary=10000, width=650):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.cells = nn.LSTM(width, width, 2)
        self.logits = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.logits(self.cells(self.table(tokens))[0]).flatten(0, 1)


IMAGES = {"alexnet": (alexnet, 227), "overfeat": (overfeat, 231), "vgg_a": (vgg_a, 224), "googlenet": (googlenet, 224),
          "resnet50": (resnet50, 224)}


def make(name, batch, device, dtype):
    """The module, its input and its labels, on the device; images with their channels last."""
    if name in IMAGES:
        net, side = IMAGES[name]
        module, x, classes = net(1000), torch.rand(batch, 3, side, side) * 2 - 1, 1000
        labels = torch.randint(classes, (batch,))
        return (module.to(device, dtype, memory_format=torch.channels_last),
                x.to(device, dtype, memory_format=torch.channels_last), labels.to(device))
    if name == "mlp":
        return mlp(10).to(device, dtype), (torch.rand(batch, 64) * 2 - 1).to(device, dtype), torch.randint(10, (batch,)).to(device)
    if name == "gpt2":
        tokens = torch.randint(50257, (batch, 1024))
        return Gpt2().to(device, dtype), tokens.to(device), torch.randint(50257, (batch * 1024,)).to(device)
    if name == "lstm":
        tokens = torch.randint(10000, (35, batch))
        return Lstm().to(device, dtype), tokens.to(device), torch.randint(10000, (35 * batch,)).to(device)
    raise ValueError(name)
