// The GGUF file format, version 3, as far as a model of random weights needs it.

export type GgufValue =
  | { readonly kind: 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | {
      readonly kind: 'list';
      readonly of: 'i32' | 'f32' | 'text';
      readonly values: readonly (number | string)[];
    };

export interface GgufTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly kind: 'f32' | 'f16';
}

const valueKinds = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, list: 9 } as const;
const tensorKinds = { f32: 0, f16: 1 } as const;
const alignment = 32;

/** Bytes of the data of a tensor. */
export function sizeOf({ dimensions, kind }: GgufTensor): number {
  return dimensions.reduce((all, each) => all * each, 1) * (kind === 'f16' ? 2 : 4);
}

export function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

/** All that comes before the data of the first tensor. */
export function ggufHead(
  values: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(values).length)];
  for (const [key, value] of Object.entries(values))
    parts.push(text(key), u32(valueKinds[value.kind]), valueBytes(value));
  let offset = 0;
  for (const tensor of tensors) {
    const { name, dimensions, kind } = tensor;
    parts.push(
      text(name),
      u32(dimensions.length),
      ...dimensions.map(u64),
      u32(tensorKinds[kind]),
      u64(offset),
    );
    offset = aligned(offset + sizeOf(tensor));
  }
  const head = Buffer.concat(parts);
  return Buffer.concat([head, Buffer.alloc(aligned(head.length) - head.length)]);
}

function valueBytes(value: GgufValue): Buffer {
  switch (value.kind) {
    case 'list':
      return Buffer.concat([
        u32(valueKinds[value.of]),
        u64(value.values.length),
        ...value.values.map((each) => scalar(value.of, each)),
      ]);
    case 'bool':
      return Buffer.from([value.value ? 1 : 0]);
    default:
      return scalar(value.kind, value.value);
  }
}

function scalar(kind: 'u32' | 'i32' | 'f32' | 'text', value: number | string): Buffer {
  if (kind === 'text') return text(String(value));
  const bytes = Buffer.alloc(4);
  if (kind === 'u32') bytes.writeUInt32LE(Number(value));
  else if (kind === 'i32') bytes.writeInt32LE(Number(value));
  else bytes.writeFloatLE(Number(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  return scalar('u32', value);
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
