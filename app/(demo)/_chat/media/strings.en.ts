import { inLanguages } from "../../_ui/language.ts";

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** Texts of pictures, files and links in messages. */
export const strings = inLanguages("media", {
  picture: {
    label: (name: string) => (name === "" ? "Picture" : `Picture: ${name}`),
    enlarge: (name: string) => (name === "" ? "Enlarge the picture" : `Enlarge: ${name}`),
    broken: "This picture can't be shown here. Open it where it is:",
    close: "Close",
    previous: "Previous picture",
    next: "Next picture",
    place: (index: number, all: number) => `${index} of ${all}`,
    original: "Open the original",
    download: "Download",
  },
  file: {
    download: (name: string) => `Download ${name}`,
    size: (bytes: number) =>
      bytes < 1024
        ? `${bytes} bytes`
        : bytes < 1024 * 1024
          ? `${count.format(bytes / 1024)} KB`
          : `${count.format(bytes / 1024 / 1024)} MB`,
    kind: (extension: string) => (extension === "" ? "File" : extension.toUpperCase()),
  },
  preview: {
    pending: (amount: string) => `Payout so far: ${amount}`,
    paid: (amount: string) => `Paid out: ${amount}`,
  },
  upload: {
    add: "Add pictures",
    list: "Pictures to send",
    drop: "Drop pictures here to add them",
    name: (index: number) => `Name of picture ${index}`,
    remove: (name: string) => `Remove ${name}`,
    cancel: (name: string) => `Cancel ${name}`,
    retry: (name: string) => `Try again: ${name}`,
    progress: (name: string) => `Sending ${name}`,
    failed: (name: string, problem: string) => `${name} was not sent. ${problem}`,
    problems: {
      payload_too_large: "It is larger than the server accepts. Make it smaller, then add it again.",
      unsupported_media_type: "It is not a PNG, JPEG, GIF, WebP or AVIF picture. Choose another one.",
    } as Readonly<Record<string, string>>,
    tooLarge: (names: string) => `Larger than 10 MB: ${names}. Reduce the size, then try again.`,
    wrongType: (names: string) =>
      `Can't be sent here: ${names}. Choose PNG, JPEG, GIF, WebP or AVIF pictures.`,
    tooMany: "A message can have ten pictures at most. Send these first, then the others.",
    waiting: "It will be sent as soon as the pictures are uploaded.",
    hold: "Don't send yet",
    blocked: "A picture was not sent. Try it again, or remove it, then send.",
    blockedIn: (name: string) =>
      `Your ${name === "" ? "reply in a thread" : `message in ${name}`} waits: a picture was not sent. Go there to try it again, or remove it.`,
    untitled: "Picture",
  },
} as const);
