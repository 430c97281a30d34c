import { imageDimensionsFromData } from "image-dimensions";
import sharp from "sharp";
import type { RasterType } from "../../outside/raster-type.ts";

/** The pixels of the largest picture: each takes four bytes in every browser that shows it. */
export const MOST_PIXELS = 50_000_000;

/** How many pixels a picture claims to have; null where it claims none, and so is no picture. */
export function pixelsOf(bytes: Uint8Array): number | null {
  const { width, height } = imageDimensionsFromData(bytes) ?? { width: 0, height: 0 };
  return width * height > 0 ? width * height : null;
}

const QUALITY = 92;

/**
 * A picture without what its camera and its programs wrote into it (EXIF with the place, XMP, IPTC), turned as it is
 * shown. A picture that has none of these keeps its bytes.
 * @throws Error where the bytes are no whole picture
 */
export async function withoutMetadata(bytes: Buffer, type: RasterType): Promise<Buffer> {
  const options = { limitInputPixels: MOST_PIXELS, failOn: "none", sequentialRead: true } as const;
  const { exif, xmp, iptc, comments, pages = 1 } = await sharp(bytes, options).metadata();
  if (!exif && !xmp && !iptc && !comments?.length) return bytes;
  const isAnimated = pages > 1;
  const picture = sharp(bytes, { ...options, limitInputPixels: MOST_PIXELS * pages, animated: isAnimated });
  if (!isAnimated) picture.autoOrient();
  picture.keepIccProfile();
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
