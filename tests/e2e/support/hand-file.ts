import type { Locator } from "playwright/test";
import { pngOf } from "../../harness/start-picture-server.ts";

/** Makes the browser deliver a picture, as on paste or drop. */
export const handFile = (target: Locator, event: "paste" | "drop", name: string) =>
  target.evaluate(
    (element, { event, name, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
      const init = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        event === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: data })
          : new DragEvent("drop", { ...init, dataTransfer: data }),
      );
    },
    { event, name, bytes: [...pngOf(name)] },
  );
