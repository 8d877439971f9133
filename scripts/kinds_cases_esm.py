"""Small protein models."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator

import torch
from kinds_cases import Case, trained
from kinds_exercise import backward


def cases() -> Iterator[Case]:
    """Yield the cases of esm."""
    import esm

    sequences = [("a", "MKTAYIAKQR"), ("b", "KALTARQQ<mask>VFD")]

    def transformer(arch: str) -> Callable[[], None]:
        def made() -> None:
            alphabet = esm.Alphabet.from_architecture(arch)
            _, _, tokens = alphabet.get_batch_converter()(sequences)
            names = {"layers": 2, "embed_dim": 16, "ffn_embed_dim": 32, "attention_heads": 2, "token_dropout": True}
            args = Namespace(arch=arch, max_positions=64, final_bias=True, logit_bias=True, **names)
            model = esm.ProteinBertModel(args, alphabet)
            trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True)
            model.predict_contacts(tokens)

        return made

    yield transformer("roberta_large")
    yield transformer("protein_bert_base")

    def second() -> None:
        alphabet = esm.Alphabet.from_architecture("ESM-1b")
        for truncated in (None, 6):
            _, _, tokens = alphabet.get_batch_converter(truncated)(sequences)
            model = esm.ESM2(num_layers=2, embed_dim=32, attention_heads=4, alphabet="ESM-1b")
            trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True).predict_contacts(tokens)

    yield second

    def alignments() -> None:
        alphabet = esm.Alphabet.from_architecture("msa_transformer")
        _, _, tokens = alphabet.get_batch_converter()(
            [[("a", "MKTAYIAKQR"), ("b", "MKTAY-AKQR")], [("c", "MKTA"), ("d", "MK-A")]]
        )
        rates = {"dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1}
        names = {"layers": 2, "embed_dim": 16, "ffn_embed_dim": 32, "attention_heads": 2}
        for most in (2**14, 4):
            args = Namespace(
                max_tokens_per_msa=most, max_tokens=most, max_positions=64, embed_positions_msa=True, **names, **rates
            )
            model = esm.MSATransformer(args, alphabet)
            trained(model, tokens, repr_layers=[0, 1, 2], return_contacts=True)
            with torch.no_grad():
                model(tokens, repr_layers=[2], return_contacts=True)

    yield alignments

    def attention() -> None:
        from esm.multihead_attention import MultiheadAttention

        x = torch.rand(5, 2, 16)
        for extra in ({}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"use_rotary_embeddings": True}):
            made = MultiheadAttention(16, 2, self_attention=True, **extra)
            mask = torch.zeros(2, 5, dtype=torch.bool)
            mask[1, 4] = True
            for options in (
                {},
                {"key_padding_mask": mask},
                {"attn_mask": torch.zeros(5, 5), "key_padding_mask": mask},
                {"need_head_weights": True, "attn_mask": torch.zeros(5, 5)},
                {"before_softmax": True},
                {"static_kv": True, "incremental_state": {}},
                {"incremental_state": {}, "key_padding_mask": mask},
            ):
                for _ in range(2):
                    try:
                        backward(made(x, x, x, **options))
                    except (AssertionError, RuntimeError):  # noqa: PERF203  # not with these options
                        break
                state = options.get("incremental_state")
                if isinstance(state, dict):
                    made.reorder_incremental_state(state, torch.tensor([1, 0]))

    yield attention

    def folding() -> None:
        from esm.esmfold.v1 import misc

        misc.batch_encode_sequences(["MKTAY", "MKT:AYK"], residue_index_offset=4)
        misc.collate_dense_tensors([torch.rand(3, 2), torch.rand(5, 2)])
        made = misc.Attention(16, 2, 8, gated=True)
        backward(made(torch.rand(2, 5, 16), mask=torch.ones(2, 5, dtype=torch.bool), bias=torch.rand(2, 5, 5, 2)))
        misc.Dropout(0.3, [0, 1])(torch.rand(2, 3, 4))
        misc.SequenceToPair(16, 8, 16)(torch.rand(2, 5, 16))
        misc.PairToSequence(16, 2)(torch.rand(2, 5, 5, 16))
        misc.ResidueMLP(16, 32)(torch.rand(2, 5, 16))

    yield folding
