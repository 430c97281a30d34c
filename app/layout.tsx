import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { currentConfig } from "../lib/config.ts";
import { ThemeProvider } from "./(demo)/_ui/theme.tsx";
import "./globals.css";

const description =
  "Communities talk under the names that they have on Hive, and pages cost cents, paid in three seconds.";

/** What search engines and other chats show of a link to a page of this site. */
export function generateMetadata(): Metadata {
  return {
    metadataBase: new URL(currentConfig().publicUrl),
    title: { default: "Hivegate", template: "%s · Hivegate" },
    description,
    openGraph: {
      type: "website",
      siteName: "Hivegate",
      title: "Hivegate",
      description,
      images: [{ url: "/pictures/chat-light.webp", width: 800, height: 500, alt: "A channel of the chat" }],
    },
    twitter: { card: "summary_large_image" },
  };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  interactiveWidget: "resizes-content",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f6f4ee" },
    { media: "(prefers-color-scheme: dark)", color: "#14130f" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body className="bg-canvas font-sans text-ink antialiased">
        <ThemeProvider nonce={nonce}>{children}</ThemeProvider>
      </body>
    </html>
  );
}
