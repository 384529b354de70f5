import { writeFileSync } from 'node:fs';
import { aligned, type GgufTensor, type GgufValue, ggufHead, sizeOf } from './gguf.ts';

const width = 128;
const layers = 6;
const feedForward = 384;
const heads = 4;
const keyHeads = 2;
const context = 65_536;
/** Three special ones and each byte, so that a character is a token. */
const tokens = 3 + 256;

/**
 * Writes a llama model of 1.2 million random weights (2.5 MB). What it says is noise; how it reads a prompt is how every
 * model does: slower with each token, batch by batch.
 */
export function writeRandomModel(file: string): void {
  const tensors = tensorsOf();
  const draw = randomSource(1);
  const data = tensors.map((tensor) => {
    const bytes = Buffer.alloc(aligned(sizeOf(tensor)));
    if (tensor.kind === 'f32') for (let at = 0; at < sizeOf(tensor); at += 4) bytes.writeFloatLE(1, at);
    else
      for (let at = 0; at < sizeOf(tensor); at += 2) bytes.writeUInt16LE(halfOf((draw() * 2 - 1) * 0.06), at);
    return bytes;
  });
  writeFileSync(file, Buffer.concat([ggufHead(values(), tensors), ...data]));
}

function tensorsOf(): GgufTensor[] {
  const matrix = (name: string, ...dimensions: number[]): GgufTensor => ({ name, dimensions, kind: 'f16' });
  const norm = (name: string): GgufTensor => ({ name, dimensions: [width], kind: 'f32' });
  const keys = (width / heads) * keyHeads;
  const blocks = Array.from({ length: layers }, (_, block) => [
    norm(`blk.${block}.attn_norm.weight`),
    matrix(`blk.${block}.attn_q.weight`, width, width),
    matrix(`blk.${block}.attn_k.weight`, width, keys),
    matrix(`blk.${block}.attn_v.weight`, width, keys),
    matrix(`blk.${block}.attn_output.weight`, width, width),
    norm(`blk.${block}.ffn_norm.weight`),
    matrix(`blk.${block}.ffn_gate.weight`, width, feedForward),
    matrix(`blk.${block}.ffn_up.weight`, width, feedForward),
    matrix(`blk.${block}.ffn_down.weight`, feedForward, width),
  ]);
  return [
    matrix('token_embd.weight', width, tokens),
    norm('output_norm.weight'),
    matrix('output.weight', width, tokens),
    ...blocks.flat(),
  ];
}

function values(): Readonly<Record<string, GgufValue>> {
  const u32 = (value: number): GgufValue => ({ kind: 'u32', value });
  const f32 = (value: number): GgufValue => ({ kind: 'f32', value });
  const text = (value: string): GgufValue => ({ kind: 'text', value });
  const bool = (value: boolean): GgufValue => ({ kind: 'bool', value });
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  return {
    'general.architecture': text('llama'),
    'general.name': text('random'),
    'general.file_type': u32(1),
    'general.alignment': u32(32),
    'llama.vocab_size': u32(tokens),
    'llama.context_length': u32(context),
    'llama.embedding_length': u32(width),
    'llama.block_count': u32(layers),
    'llama.feed_forward_length': u32(feedForward),
    'llama.attention.head_count': u32(heads),
    'llama.attention.head_count_kv': u32(keyHeads),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'llama.rope.dimension_count': u32(width / heads),
    'llama.rope.freq_base': f32(10_000),
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': { kind: 'list', of: 'text', values: ['<unk>', '<s>', '</s>', ...bytes] },
    'tokenizer.ggml.scores': { kind: 'list', of: 'f32', values: Array.from({ length: tokens }, () => 0) },
    // Unknown, control, control, bytes.
    'tokenizer.ggml.token_type': {
      kind: 'list',
      of: 'i32',
      values: [2, 3, 3, ...Array.from({ length: 256 }, () => 6)],
    },
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.ggml.unknown_token_id': u32(0),
    'tokenizer.ggml.add_bos_token': bool(true),
    'tokenizer.ggml.add_space_prefix': bool(false),
    'tokenizer.chat_template': text(
      '{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}[assistant] ',
    ),
  };
}

/** Xorshift: the same model each time. @returns 0 to 1 */
function randomSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

const word = new DataView(new ArrayBuffer(4));

/** The bits of a half-precision number; those below its smallest normal one are zero. */
function halfOf(value: number): number {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  const exponent = ((bits >>> 23) & 255) - 112;
  const sign = (bits >>> 16) & 0x8000;
  return exponent <= 0 ? sign : sign | (exponent << 10) | ((bits >>> 13) & 1023);
}
