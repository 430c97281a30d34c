import Link from "next/link";
import { Logo } from "../_ui/logo.tsx";
import { ThemeSwitch } from "../_ui/theme.tsx";
import { strings } from "./strings.en.ts";

const places = [
  ["/chat", strings.nav.chat],
  ["/articles", strings.nav.articles],
  ["/payments", strings.nav.payments],
  ["/reference", strings.nav.reference],
] as const;

/** The bar on top of every page but the chat. */
export function SiteHeader() {
  return (
    <header className="mx-auto flex w-full max-w-6xl items-center justify-between gap-2 px-4 py-3 sm:px-6">
      <a
        href="#content"
        className="sr-only rounded-lg bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
      >
        {strings.skip}
      </a>
      <Link href="/" aria-label={strings.home} className="-m-1 flex items-center gap-2 p-1 font-semibold">
        <Logo />
        <span className="hidden text-lg tracking-tight sm:inline">Hivegate</span>
      </Link>
      <nav className="flex items-center gap-0.5 text-sm sm:gap-2">
        {places.map(([href, name]) => (
          <Link
            key={href}
            href={href}
            prefetch={false}
            className="rounded-lg px-2 py-2 text-center text-ink-soft hover:bg-sunken hover:text-ink sm:px-3 pointer-coarse:min-w-10 pointer-coarse:py-2.5"
          >
            {name}
          </Link>
        ))}
        <ThemeSwitch />
      </nav>
    </header>
  );
}
