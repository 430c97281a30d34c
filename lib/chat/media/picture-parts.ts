/** PNG chunks that affect the display, including APNG's animation. */
const shownChunks = new Set([
  ...["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT"],
  ...["gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "mDCV", "cLLI", "bKGD", "pHYs"],
]);
const shownWebpChunks = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);
/** Frames do not nest, because a few hundred nested frames would take a second. */
const shownFrameChunks = new Set(["VP8 ", "VP8L", "ALPH"]);
/** Bytes of a frame before its chunks: position, size, duration and flags. */
const WEBP_FRAME_HEAD = 16;
/** GIF application extensions that set repetition and colours. */
const shownExtensions = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

/** No real picture has more, and counting further would block everything else. */
const MOST_PARTS = 100_000;

/** The file does not have the structure of its type. */
class BrokenPicture extends Error {}

const readers = {
  "image/png": pngParts,
  "image/webp": webpParts,
  "image/gif": gifParts,
  "image/jpeg": jpegParts,
};

/**
 * Reduces a picture to the parts that affect its display, with their bytes unchanged. EXIF, XMP, IPTC, comments and
 * trailing data are dropped. A WebP with an `orientation` other than 1 gets an EXIF chunk with only that. Returns null
 * if the bytes are not a whole picture.
 */
export function shownPartsOf(bytes: Buffer, type: keyof typeof readers, orientation = 1): Buffer | null {
  const parts: Buffer[] = [];
  try {
    for (const part of readers[type](bytes)) if (parts.push(part) > MOST_PARTS) return null;
  } catch (error) {
    if (error instanceof BrokenPicture) return null;
    throw error;
  }
  if (type === "image/webp" && orientation !== 1) parts.push(webpChunk("EXIF", exifOf(orientation)));
  const shown = Buffer.concat(parts);
  if (type === "image/webp") markWebp(shown, orientation !== 1);
  return shown.equals(bytes) ? bytes : shown;
}

/**
 * Returns the number of pixels in the smallest area that holds a GIF's screen and all its frames. Some
 * browsers make the screen as large as the first frame, whatever the header says.
 */
export function pixelsOfGif(bytes: Buffer): number {
  let [width, height] = [0, 0];
  try {
    [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
    for (const { at } of gifBlocks(bytes)) {
      if (bytes[at] !== IMAGE) continue;
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
    }
  } catch {
    // The file is truncated, but the frames read so far can be displayed.
  }
  return width * height;
}

/** PNG, 5.3: length, type, data and a checksum. */
function* pngParts(bytes: Buffer): Generator<Buffer> {
  yield bytes.subarray(0, 8);
  for (let at = 8; ; ) {
    const end = at + 12 + uint(bytes, at, 4);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (end > bytes.length) throw new BrokenPicture();
    if (shownChunks.has(type)) yield bytes.subarray(at, end);
    if (type === "IEND") return;
    at = end;
  }
}

/** RFC 9649, 2.3: type, length and data, padded to an even length. */
function* webpParts(bytes: Buffer): Generator<Buffer> {
  yield Buffer.from(bytes.subarray(0, 12));
  yield* webpChunks(bytes, 12, Math.min(bytes.length, 8 + bytes.readUInt32LE(4)));
}

function* webpChunks(bytes: Buffer, from: number, end: number, shown = shownWebpChunks): Generator<Buffer> {
  for (let at = from; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4);
    const [start, next] = [at + 8, at + 8 + length];
    if (next > end) throw new BrokenPicture();
    const kind = bytes.toString("latin1", at, at + 4);
    if (shown.has(kind)) {
      const head = Math.min(start + WEBP_FRAME_HEAD, next);
      const content =
        kind === "ANMF"
          ? Buffer.concat([bytes.subarray(start, head), ...webpChunks(bytes, head, next, shownFrameChunks)])
          : bytes.subarray(start, next);
      yield webpChunk(kind, content);
    }
    at = next + (length % 2);
  }
}

function webpChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** Corrects the total length, sets the flag for EXIF (8) if `hasExif`, and clears the one for XMP (4). */
function markWebp(bytes: Buffer, hasExif: boolean): void {
  bytes.writeUInt32LE(bytes.length - 8, 4);
  if (bytes.toString("latin1", 12, 16) === "VP8X")
    bytes[20] = (uint(bytes, 20, 1) & ~0x0c) | (hasExif ? 0x08 : 0);
}

/** Creates an EXIF block with the orientation alone: one entry, 0x0112, with one short number. */
function exifOf(orientation: number): Buffer {
  const exif = Buffer.from("49492a0008000000010012010300010000000000000000000000", "hex");
  exif.writeUInt16LE(orientation, 18);
  return exif;
}

const [IMAGE, EXTENSION, TRAILER] = [0x2c, 0x21, 0x3b];

function* gifParts(bytes: Buffer): Generator<Buffer> {
  for (const { at, end } of gifBlocks(bytes))
    if (bytes[at] !== EXTENSION || isShownExtension(bytes, at)) yield bytes.subarray(at, end);
}

/** GIF89a, 17 to 27: a header with a colour table, then blocks, each a chain of parts of up to 255 bytes. */
function* gifBlocks(bytes: Buffer): Generator<{ at: number; end: number }> {
  const tableAt = (at: number) => {
    const flags = uint(bytes, at, 1);
    return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  };
  const endOfChain = (from: number) => {
    let at = from;
    for (let size = uint(bytes, at, 1); size > 0; size = uint(bytes, at, 1)) at += size + 1;
    return at + 1;
  };
  let end = 13 + tableAt(10);
  yield { at: 0, end };
  for (let at = end; ; at = end) {
    const introducer = uint(bytes, at, 1);
    if (introducer === TRAILER) return yield { at, end: at + 1 };
    if (introducer !== EXTENSION && introducer !== IMAGE) throw new BrokenPicture();
    end = endOfChain(introducer === EXTENSION ? at + 2 : at + 11 + tableAt(at + 9));
    yield { at, end };
  }
}

/**
 * Returns whether an extension affects the display: a graphic control (delays, transparency), text within the picture,
 * or a known application.
 */
function isShownExtension(bytes: Buffer, at: number): boolean {
  const label = uint(bytes, at + 1, 1);
  if (label === 0xf9 || label === 0x01) return true;
  return label === 0xff && shownExtensions.has(bytes.toString("latin1", at + 3, at + 14));
}

const [START_OF_SCAN, END_OF_IMAGE] = [0xda, 0xd9];

/** ITU T.81, B.1: markers, some followed by a segment with its length. A scan extends to the next marker. */
function* jpegParts(bytes: Buffer): Generator<Buffer> {
  yield bytes.subarray(0, 2);
  for (let at = 2; ; ) {
    if (uint(bytes, at, 1) !== 0xff) throw new BrokenPicture();
    const marker = uint(bytes, at + 1, 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) return yield bytes.subarray(at, at + 2);
    const segment = at + 2 + uint(bytes, at + 2, 2);
    const end = marker === START_OF_SCAN ? endOfScan(bytes, segment) : segment;
    if (end > bytes.length) throw new BrokenPicture();
    if (isShownSegment(bytes, at)) yield bytes.subarray(at, end);
    at = end;
  }
}

/**
 * Returns the position of the marker after a scan. Within the scan, 0xff is always followed by 0 or belongs
 * to a restart marker.
 */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new BrokenPicture();
}

/**
 * Returns whether a segment affects the display. Among application segments and comments, only the colour
 * space and the colour profile do.
 */
function isShownSegment(bytes: Buffer, at: number): boolean {
  const marker = uint(bytes, at + 1, 1);
  const name = (length: number) => bytes.toString("latin1", at + 4, at + 4 + length);
  if (marker === 0xe0) return name(5) === "JFIF\0";
  if (marker === 0xe2) return name(12) === "ICC_PROFILE\0";
  if (marker === 0xee) return name(5) === "Adobe";
  return !(marker >= 0xe1 && marker <= 0xef) && marker !== 0xfe;
}

/** Boxes of an AVIF that hold its pixels or affect their display, by parent box. */
const avifBoxes: Readonly<Record<string, { head: number; known: readonly string[] }>> = {
  file: { head: 0, known: ["ftyp", "meta", "mdat"] },
  meta: { head: 4, known: ["hdlr", "pitm", "iloc", "iinf", "iprp", "iref", "idat"] },
  iinf: { head: 6, known: ["infe"] },
  iprp: { head: 0, known: ["ipco", "ipma"] },
  ipco: {
    head: 0,
    known: ["av1C", "ispe", "pixi", "colr", "irot", "imir", "auxC", "clap", "pasp", "clli", "mdcv", "a1op"],
  },
};

/** Returns whether an AVIF holds nothing but a single still picture, judging by the names of its parts. */
export function isBareAvif(bytes: Buffer): boolean {
  try {
    return hasKnownBoxes(bytes, "file", 0, bytes.length);
  } catch (error) {
    if (error instanceof BrokenPicture) return false;
    throw error;
  }
}

/**
 * Returns whether all boxes are known (ISO 14496-12, 4.2: length, type and content). Other forms of length
 * count as unknown.
 */
function hasKnownBoxes(bytes: Buffer, parent: string, from: number, end: number): boolean {
  const { head, known } = avifBoxes[parent] ?? { head: 0, known: [] };
  let at = from + head;
  while (at < end) {
    const next = at + uint(bytes, at, 4);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (next < at + 8 || next > end || !known.includes(type)) return false;
    if (type === "infe" && !isOfPixels(bytes, at)) return false;
    if (Object.hasOwn(avifBoxes, type) && !hasKnownBoxes(bytes, type, at + 8, next)) return false;
    at = next;
  }
  return true;
}

/**
 * Returns whether an item entry is of pixels. An entry of version 2 has the item type after the id (ISO
 * 14496-12, 8.11.6); other versions count as unknown.
 */
function isOfPixels(bytes: Buffer, at: number): boolean {
  const type = bytes.toString("latin1", at + 16, at + 20);
  return uint(bytes, at + 8, 1) === 2 && (type === "av01" || type === "grid");
}

function uint(bytes: Buffer, at: number, length: 1 | 2 | 4): number {
  if (at + length > bytes.length) throw new BrokenPicture();
  return bytes.readUIntBE(at, length);
}
