import { imageDimensionsFromData } from "image-dimensions";
import sharp from "sharp";
import type { RasterType } from "../../outside/raster-type.ts";
import { isBareAvif, pixelsOfGif, shownPartsOf } from "./picture-parts.ts";

/** The pixels of the largest picture: each takes four bytes in every browser that shows it. */
export const MOST_PIXELS = 50_000_000;

/** How many pixels a picture claims to have; null where it claims none, and so is no picture. */
export function pixelsOf(bytes: Uint8Array): number | null {
  const { width, height, type } = imageDimensionsFromData(bytes) ?? { width: 0, height: 0 };
  const pixels = type === "gif" ? pixelsOfGif(Buffer.from(bytes)) : width * height;
  return pixels > 0 ? pixels : null;
}

const QUALITY = 92;
const reading = { limitInputPixels: MOST_PIXELS, failOn: "none", sequentialRead: true } as const;

/**
 * A picture without what its camera and its programs wrote into it (EXIF with the place, XMP, IPTC, comments), turned as
 * it is shown. Only one that has to be turned, that is not whole, or an AVIF that may have these is written anew; the
 * pixels of others stay the bytes they are. A turned animation says so as before.
 * @throws Error where the bytes are no whole picture
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
