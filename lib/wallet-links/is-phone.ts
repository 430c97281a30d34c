/** Returns whether this is a phone or tablet, which can open an app by a link. */
export const isPhone = (): boolean =>
  typeof matchMedia === "function" && matchMedia("(hover: none) and (pointer: coarse)").matches;
