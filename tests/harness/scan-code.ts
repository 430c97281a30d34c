import jsQR from "jsqr";
import type { Locator } from "playwright";
import sharp from "sharp";

/** Reads the text of a QR code on a page, as a phone's camera does. */
export async function scan(code: Locator): Promise<string> {
  const { data, info } = await sharp(await code.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const found = jsQR(new Uint8ClampedArray(data), info.width, info.height);
  if (!found) throw new Error("no code can be read");
  return found.data;
}
