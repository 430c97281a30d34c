import { currentConfig } from "../../../lib/config.ts";
import { sourceAddressOf } from "../../../lib/source-address.ts";
import manifest from "../../../package.json" with { type: "json" };
import { strings } from "./strings.en.ts";

const { footer } = strings;
const look =
  "underline underline-offset-2 hover:text-ink pointer-coarse:py-3 aria-[current]:font-medium aria-[current]:text-ink aria-[current]:no-underline";

/** The public address of this checkout's source, or null if none is configured. */
const checkoutSource = sourceAddressOf(process.cwd());

/** The footer of every page but the chat. It marks the open page if that is listed. */
export function SiteFooter({ path = "" }: { path?: string }) {
  const linkTo = (href: string) => {
    const isOpen = path === href || path.startsWith(`${href}/`);
    return {
      href,
      className: look,
      ...(isOpen && ({ "aria-current": path === href ? "page" : true } as const)),
    };
  };
  const source = currentConfig().sourceUrl ?? checkoutSource;
  return (
    <footer className="sticky top-[100dvh] mx-auto flex w-full max-w-6xl flex-wrap items-center gap-x-6 gap-y-2 border-t border-line px-4 py-6 text-sm text-ink-soft sm:px-6">
      <a {...linkTo("/offers")}>{footer.offers}</a>
      <a {...linkTo("/settings")}>{footer.settings}</a>
      <a {...linkTo("/reference")}>{footer.reference}</a>
      <a {...linkTo("/api/openapi.json")}>{footer.openapi}</a>
      <a {...linkTo("/docs")}>{footer.docs}</a>
      {source !== null ? (
        <a href={source} className={look}>
          {footer.source}
        </a>
      ) : (
        <p>{footer.sourceHere}</p>
      )}
      <a {...linkTo("/license.txt")}>{footer.licence(manifest.license)}</a>
    </footer>
  );
}
