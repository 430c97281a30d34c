import { Notice } from "../_ui/notice.tsx";
import { strings } from "./strings.en.ts";

/** Says that this server sells no articles. */
export function ClosedShop() {
  return (
    <Notice heading="h1" className="mt-6" title={strings.closed.title}>
      <p>{strings.closed.text}</p>
    </Notice>
  );
}
