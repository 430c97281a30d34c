import { currentConfig } from "../../../lib/config.ts";
import { sourceAddressOf } from "../../../lib/source-address.ts";
import manifest from "../../../package.json" with { type: "json" };
import { strings } from "./strings.en.ts";

const { footer } = strings;
const look = "underline underline-offset-2 hover:text-ink pointer-coarse:py-2.5";

/** Where the source of this checkout is for everybody; null where nobody told it. */
const checkoutSource = sourceAddressOf(process.cwd());

/** What stands under every page but the chat: settings, reference, source, docs and licence. */
export function SiteFooter() {
  const source = currentConfig().sourceUrl ?? checkoutSource;
  return (
    <footer className="sticky top-[100dvh] mx-auto flex w-full max-w-6xl flex-wrap items-center gap-x-6 gap-y-2 border-t border-line px-4 py-6 text-sm text-ink-soft sm:px-6">
      <a href="/settings" className={look}>
        {footer.settings}
      </a>
      <a href="/reference" className={look}>
        {footer.reference}
      </a>
      <a href="/api/openapi.json" className={look}>
        {footer.openapi}
      </a>
      <a href="/docs" className={look}>
        {footer.docs}
      </a>
      {source !== null ? (
        <a href={source} className={look}>
          {footer.source}
        </a>
      ) : (
        <p>{footer.sourceHere}</p>
      )}
      <a href="/license.txt" className={look}>
        {footer.licence(manifest.license)}
      </a>
    </footer>
  );
}
