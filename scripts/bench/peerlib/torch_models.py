"""The steps of training_graphs in PyTorch: forward, backward and an update by plain gradient descent on one batch.

Each function returns the step as a callable. Sizes are those of the function of the same name in training_graphs or
loop_graphs.
"""
import torch
from torch import nn


def training_step(model, x, labels, rate):
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss_of(model(x), labels).backward()
        optimizer.step()
    return step


def mlp():
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    return training_step(model, torch.rand(128, 64), torch.randint(0, 10, (128,)), 0.01)


def cnn():
    layers = []
    for channels, filters in ((3, 64), (64, 64), (64, 128)):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(4 * 4 * 128, 10)).to(memory_format=torch.channels_last)
    image = torch.rand(64, 3, 32, 32).to(memory_format=torch.channels_last)
    return training_step(model, image, torch.randint(0, 10, (64,)), 0.01)


class WordModel(nn.Module):
    def __init__(self, units, words):
        super().__init__()
        self.embedding = nn.Embedding(words, units)
        self.cell = nn.LSTM(units, units, batch_first=True)
        self.softmax = nn.Linear(units, words)

    def forward(self, text):
        return self.softmax(self.cell(self.embedding(text))[0]).flatten(0, 1)


def lstm(batch=32, steps=20, units=256, words=1000):
    text = torch.randint(0, words, (batch, steps + 1))
    return training_step(WordModel(units, words), text[:, :-1], text[:, 1:].flatten(), 0.1)


class RecurrentModel(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.cell = nn.RNN(units, units)
        self.logits = nn.Linear(units, 10)

    def forward(self, x):
        return self.logits(self.cell(x)[1][0])


def rnn(steps=100, batch=8, units=32):
    return training_step(RecurrentModel(units), torch.rand(steps, batch, units), torch.randint(0, 10, (batch,)), 0.1)
