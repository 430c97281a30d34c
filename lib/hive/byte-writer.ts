/** Collects the chain's binary form: little-endian numbers, lengths as varints, texts as UTF-8. */
export type ByteWriter = {
  unsigned(value: number, bytes: 1 | 2 | 4): void;
  int64(value: bigint): void;
  varint(value: number): void;
  raw(bytes: Uint8Array): void;
  text(value: string): void;
  finish(): Uint8Array;
};

const encoder = new TextEncoder();
const loneSurrogate = /\p{Surrogate}/u;

/** Returns whether a text has a binary form: half a surrogate pair has none. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Creates an empty writer; its methods throw RangeError for a value that the form can't hold exactly. */
export function createByteWriter(): ByteWriter {
  const out: number[] = [];
  const writer: ByteWriter = {
    unsigned(value, bytes) {
      if (!Number.isInteger(value) || value < 0 || value >= 2 ** (bytes * 8))
        throw new RangeError(`not an unsigned number of ${bytes} bytes`);
      for (let index = 0; index < bytes; index++) out.push((value >>> (index * 8)) & 0xff);
    },
    int64(value) {
      if (BigInt.asIntN(64, value) !== value) throw new RangeError("not a signed number of 8 bytes");
      for (let index = 0n; index < 8n; index++) out.push(Number((value >> (index * 8n)) & 0xffn));
    },
    varint(value) {
      let rest = value;
      for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
      out.push(rest);
    },
    raw(bytes) {
      for (const byte of bytes) out.push(byte);
    },
    text(value) {
      if (!isWellFormed(value)) throw new RangeError("the text has half a surrogate pair");
      const bytes = encoder.encode(value);
      writer.varint(bytes.length);
      writer.raw(bytes);
    },
    finish: () => Uint8Array.from(out),
  };
  return writer;
}
