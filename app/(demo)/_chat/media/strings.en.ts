import { inLanguages } from "../../_ui/language.ts";

/** Texts of pictures, files and links in messages. */
export const strings = inLanguages("media", {
  picture: {
    label: (name: string) => (name === "" ? "Picture" : `Picture: ${name}`),
    enlarge: (name: string) => (name === "" ? "Enlarge the picture" : `Enlarge: ${name}`),
    broken: "This picture can't be shown.",
    close: "Close",
    original: "Open the original",
    download: "Download",
  },
});
