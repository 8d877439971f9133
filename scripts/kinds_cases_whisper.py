"""A small model that is trained and decoded from."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from kinds_cases import Case
from kinds_exercise import backward


def cases() -> Iterator[Case]:
    """Yield the cases of whisper."""

    def made() -> None:
        import whisper
        from whisper import audio, timing
        from whisper.model import ModelDimensions, Whisper

        dims = ModelDimensions(80, 1500, 16, 2, 1, 51865, 32, 16, 2, 1)
        model = Whisper(dims)
        mel = audio.log_mel_spectrogram(torch.rand(16000 * 30))
        backward(model(mel[None], torch.randint(0, 100, (1, 6))))
        model.eval()
        for options in ({}, {"beam_size": 2}, {"temperature": 0.5, "best_of": 2}, {"without_timestamps": True}):
            whisper.decode(model, mel, whisper.DecodingOptions(fp16=False, language="en", sample_len=6, **options))
        model.detect_language(mel)
        timing.median_filter(torch.rand(2, 5, 8), 3)
        timing.dtw(torch.rand(4, 6))

    yield made
