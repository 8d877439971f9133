"""Losses and miners with each reducer, distance and regularizer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from kinds_cases import Case
from kinds_exercise import backward
from torch import nn


def cases() -> Iterator[Case]:
    """Yield the cases of pytorch_metric_learning."""
    from pytorch_metric_learning import distances, losses, miners, reducers, regularizers, samplers

    points, labels = torch.randn(12, 8), torch.tensor([0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1, 2])

    def loss(cls: Any, **extra: Any) -> Callable[[], None]:
        def made() -> None:
            needed = {"num_classes": 3, "embedding_size": 8, "proxies_per_class": 2, "num_supporting_points": 3}
            wanted = inspect.signature(cls).parameters
            given = {k: v for k, v in needed.items() if k in wanted and wanted[k].default is inspect.Parameter.empty}
            function = cls(**given, **extra)
            for _ in range(2):
                embedded = points.clone().requires_grad_()
                backward(function(embedded, labels))
            backward(function(points.clone().requires_grad_(), labels, miners.MultiSimilarityMiner()(points, labels)))
            backward(function(points.clone().requires_grad_(), labels, miners.TripletMarginMiner(0.2)(points, labels)))
            backward(function(points.clone().requires_grad_(), labels, ref_emb=points + 0.1, ref_labels=labels))

        return made

    classes = [c for _, c in inspect.getmembers(losses, inspect.isclass)]
    for cls in classes:
        yield loss(cls)
        for _, reducer in inspect.getmembers(reducers, inspect.isclass):
            yield lambda cls=cls, reducer=reducer: loss(cls, reducer=reducer())()
        for _, distance in inspect.getmembers(distances, inspect.isclass):
            yield lambda cls=cls, distance=distance: loss(cls, distance=distance())()
        for _, regularizer in inspect.getmembers(regularizers, inspect.isclass):
            yield lambda cls=cls, regularizer=regularizer: loss(cls, weight_regularizer=regularizer())()
            yield lambda cls=cls, regularizer=regularizer: loss(cls, embedding_regularizer=regularizer())()
    yield lambda: loss(losses.CrossBatchMemory)  # needs a loss of its own

    def memory() -> None:
        for inner in (losses.ContrastiveLoss(), losses.TripletMarginLoss(), losses.NTXentLoss()):
            for miner in (None, miners.MultiSimilarityMiner(), miners.TripletMarginMiner()):
                made = losses.CrossBatchMemory(inner, 8, memory_size=20, miner=miner)
                for _ in range(3):
                    backward(made(points.clone().requires_grad_(), labels))
                made.reset_queue()
        made = losses.SelfSupervisedLoss(losses.TripletMarginLoss())
        backward(made(points.clone().requires_grad_(), points))
        weights = losses.TripletMarginLoss(reducer=reducers.ClassWeightedReducer(torch.rand(3)))
        backward(weights(points.clone().requires_grad_(), labels))

    yield memory
    for _, miner in inspect.getmembers(miners, inspect.isclass):
        for extra in (
            {},
            {"allowed_pos_range": (0, 1)},
            {"pos_strategy": "easy"},
            {"type_of_triplets": "hard"},
            {"pos_strategy": "semihard"},
            {"neg_strategy": "all"},
            {"collect_stats": True},
        ):
            yield lambda miner=miner, extra=extra: miner(**extra)(points, labels)
        yield lambda miner=miner: miner()(points, labels, points + 0.1, labels)

    def others() -> None:
        from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
        from pytorch_metric_learning.utils.inference import CustomKNN, InferenceModel, MatchFinder

        for average in (True, False):
            calculator = AccuracyCalculator(k=5, avg_of_avgs=average, knn_func=CustomKNN(distances.CosineSimilarity()))
            for kind in ("NMI", "AMI"):
                calculator.curr_metrics = [m for m in calculator.curr_metrics if m != kind]
            calculator.get_accuracy(points, labels, points, labels, ref_includes_query=True)
        MatchFinder(distances.CosineSimilarity(), threshold=0.5).get_matching_pairs(points)
        list(samplers.MPerClassSampler(labels, 2))
        list(samplers.FixedSetOfTriplets(labels, 10))
        list(samplers.TuplesToWeightsSampler(nn.Linear(8, 8), miners.MultiSimilarityMiner()))
        InferenceModel(nn.Linear(8, 8), knn_func=CustomKNN(distances.LpDistance())).is_match(points, points)

    yield others
