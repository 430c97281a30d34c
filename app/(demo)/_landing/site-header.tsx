"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useShopHere } from "../_pay/shop-here.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Logo } from "../_ui/logo.tsx";
import { ThemeSwitch } from "../_ui/theme.tsx";
import { strings } from "./frame-texts.en.ts";

const SignedIn = loadPart(() => import("./signed-in.tsx").then((part) => part.SignedIn));

const places = [
  ["/chat", "chat"],
  ["/articles", "articles"],
  ["/payments", "payments"],
  ["/reference", "reference"],
] as const;

/** The bar at the top of every page but the chat, with the open page marked. A closed shop is left out. */
export function SiteHeader() {
  const path = usePathname();
  const hasShop = useShopHere();
  // In the narrowest windows the places have a line of their own, with or without an account above them.
  return (
    <header
      data-site-header
      className="mx-auto flex w-full max-w-6xl items-center justify-between gap-2 px-4 py-3 max-[24rem]:flex-wrap sm:px-6"
    >
      <a
        href="#content"
        className="sr-only rounded-lg bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
      >
        {strings.skip}
      </a>
      <div className="-m-1.5 flex items-center text-sm sm:gap-3">
        <Link
          href="/"
          aria-label={strings.home}
          aria-current={path === "/" ? "page" : undefined}
          className="flex items-center gap-2 rounded-lg p-1.5 font-semibold"
        >
          <Logo />
          <span className="hidden text-lg tracking-tight sm:inline">Hivegate</span>
        </Link>
        {/* The account comes later than the page. Here it moves nothing. */}
        {path !== "/" && <SignedIn />}
      </div>
      <nav className="flex items-center gap-0.5 text-sm max-sm:pointer-coarse:gap-0 max-[24rem]:basis-full max-[24rem]:flex-wrap max-[24rem]:justify-between sm:gap-2">
        {places.map(([href, name]) => {
          if (name === "articles" && !hasShop) return null;
          const isOpen = path === href || path.startsWith(`${href}/`);
          return (
            <Link
              key={href}
              href={href}
              prefetch={false}
              aria-current={path === href ? "page" : isOpen ? "true" : undefined}
              className={clsx(
                "rounded-lg px-2 py-2 text-center sm:px-3 max-sm:pointer-coarse:px-1.5 pointer-coarse:min-w-11 pointer-coarse:py-3",
                isOpen ? "bg-selected font-medium text-ink" : "text-ink-soft hover:bg-sunken hover:text-ink",
              )}
            >
              {strings.nav[name]}
            </Link>
          );
        })}
        <ThemeSwitch />
      </nav>
    </header>
  );
}
