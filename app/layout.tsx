import { existsSync, readFileSync } from "node:fs";
import textFont from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { preload } from "react-dom";
import { MAINNET_CHAIN_ID } from "../lib/chains.ts";
import { darkColours, lightColours } from "../lib/colours.ts";
import { currentConfig, environment } from "../lib/config.ts";
import { isShopOpen } from "../lib/demo-shop/payee.ts";
import { texts as spanish } from "./_languages/es/index.ts";
import { LanguageGate } from "./_languages/language-gate.tsx";
import { FooterProvider } from "./(demo)/_landing/broken-page.tsx";
import { SiteFooter } from "./(demo)/_landing/site-footer.tsx";
import { strings } from "./(demo)/_landing/strings.en.ts";
import { PaymentTray } from "./(demo)/_pay/payment-tray.tsx";
import { ShopProvider } from "./(demo)/_pay/shop-here.tsx";
import { type ChainHere, ChainProvider } from "./(demo)/_session/chain-here.tsx";
import { type WalletsHere, WalletsProvider } from "./(demo)/_session/wallets-here.tsx";
import { directionOf, provideTexts, spoken } from "./(demo)/_ui/language.ts";
import { ThemeProvider } from "./(demo)/_ui/theme.tsx";
import "./globals.css";

/** The build whose scripts the browser caches; empty in development. */
const buildId =
  environment().NODE_ENV === "production" && existsSync(".next/BUILD_ID")
    ? readFileSync(".next/BUILD_ID", "utf8").trim()
    : "";

// The server has loaded all texts, so rendering never waits for them.
provideTexts("es", spanish);

/** The preview of a link to this site in search engines and other chats. */
export function generateMetadata(): Metadata {
  const { description, picture } = strings.site;
  return {
    metadataBase: new URL(currentConfig().publicUrl),
    title: { default: "Hivegate", template: "%s · Hivegate" },
    description,
    openGraph: {
      type: "website",
      // The address of the current page.
      url: "./",
      siteName: "Hivegate",
      locale: spoken().locale.replace("-", "_"),
      images: [{ url: "/pictures/link.png", width: 1200, height: 630, alt: picture }],
    },
    twitter: { card: "summary_large_image" },
  };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  interactiveWidget: "resizes-content",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: lightColours.canvas },
    { media: "(prefers-color-scheme: dark)", color: darkColours.canvas },
  ],
};

function chainHere(): ChainHere {
  const { hive, x402, sandbox } = currentConfig();
  return {
    network: x402.network,
    chainId: hive.chainId,
    nodes: hive.nodes,
    isMain: hive.chainId === MAINNET_CHAIN_ID,
    isSandboxs: Boolean(sandbox?.chain),
  };
}

function walletsHere(): WalletsHere {
  const { hivesignerApp, hiveAuthRelay } = currentConfig();
  return { hivesignerApp, hiveAuthRelay };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  const { language } = spoken();
  preload(textFont, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  return (
    <html lang={language} dir={directionOf[language]} suppressHydrationWarning>
      <body className="min-h-dvh bg-canvas font-sans text-ink antialiased">
        <ThemeProvider nonce={nonce}>
          <LanguageGate build={buildId}>
            <ChainProvider chain={chainHere()}>
              <WalletsProvider wallets={walletsHere()}>
                <ShopProvider isOpen={isShopOpen(currentConfig())}>
                  <FooterProvider footer={<SiteFooter />}>{children}</FooterProvider>
                  <PaymentTray />
                </ShopProvider>
              </WalletsProvider>
            </ChainProvider>
          </LanguageGate>
        </ThemeProvider>
      </body>
    </html>
  );
}
