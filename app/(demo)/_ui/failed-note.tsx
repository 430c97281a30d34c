import { strings } from "./strings.en.ts";

/** The reason for the absence of a part that is requested again, in its place. */
export const failedNote = (_props: object, hasFailed: boolean) =>
  hasFailed && (
    <p role="status" className="p-2 text-sm text-ink-soft">
      {strings.loadsLater}
    </p>
  );
