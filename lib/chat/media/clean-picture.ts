import { imageDimensionsFromData } from "image-dimensions";
import sharp from "sharp";
import type { RasterType } from "../../outside/raster-type.ts";
import { isBareAvif, pixelsOfGif, shownPartsOf } from "./picture-parts.ts";

/** Maximum number of pixels of a picture, each of which takes four bytes in every browser that shows it. */
export const MOST_PIXELS = 50_000_000;

/** Returns the number of pixels that a picture declares, or null if it declares none and is thus not a picture. */
export function pixelsOf(bytes: Uint8Array): number | null {
  const { width, height, type } = imageDimensionsFromData(bytes) ?? { width: 0, height: 0 };
  const pixels = type === "gif" ? pixelsOfGif(Buffer.from(bytes)) : width * height;
  return pixels > 0 ? pixels : null;
}

const QUALITY = 92;
const reading = { limitInputPixels: MOST_PIXELS, failOn: "none", sequentialRead: true } as const;

/**
 * Returns a picture without the metadata of cameras and programs (EXIF with the location, XMP, IPTC,
 * comments), in its displayed orientation. It is re-encoded only if it must be rotated, is incomplete, or is
 * an AVIF that may hold metadata; otherwise its pixel data stays unchanged. An animation that must be rotated
 * keeps its orientation flag instead.
 * @throws Error if the bytes are not a whole picture
 */
export async function withoutMetadata(bytes: Buffer, type: RasterType): Promise<Buffer> {
  const { orientation = 1, pages = 1 } = await sharp(bytes, reading).metadata();
  const isTurned = orientation !== 1 && pages === 1;
  if (type === "image/avif") return isTurned || !isBareAvif(bytes) ? writeAnew(bytes, type) : bytes;
  const shown = isTurned ? null : shownPartsOf(bytes, type, orientation);
  if (shown) return shown;
  const written = await writeAnew(bytes, type);
  return shownPartsOf(written, type) ?? written;
}

function writeAnew(bytes: Buffer, type: RasterType): Promise<Buffer> {
  const picture = sharp(bytes, reading).autoOrient().keepIccProfile();
  switch (type) {
    case "image/png":
      return picture.png().toBuffer();
    case "image/jpeg":
      return picture.jpeg({ quality: QUALITY }).toBuffer();
    case "image/gif":
      return picture.gif().toBuffer();
    case "image/webp":
      return picture.webp({ quality: QUALITY }).toBuffer();
    case "image/avif":
      return picture.avif({ quality: 70, effort: 2 }).toBuffer();
  }
}
