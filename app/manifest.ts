import type { MetadataRoute } from "next";
import { lightColours } from "../lib/colours.ts";
import { currentConfig } from "../lib/config.ts";
import { isShopOpen } from "../lib/demo-shop/payee.ts";
import { texts as spanish } from "./_languages/es/index.ts";
import { strings } from "./(demo)/_landing/strings.en.ts";
import { directionOf, provideTexts, spoken } from "./(demo)/_ui/language.ts";
import { strings as settings } from "./(demo)/settings/strings.en.ts";

provideTexts("es", spanish);

// The manifest is rendered per request, in the caller's language.
export const dynamic = "force-dynamic";

/** The pages as an installable app: its name, its icons, and the icon's shortcuts. */
export default function manifest(): MetadataRoute.Manifest {
  const { language } = spoken();
  const { nav, site } = strings;
  const places = [
    ["/chat", nav.chat],
    ...(isShopOpen(currentConfig()) ? [["/articles", nav.articles] as const] : []),
    ["/payments", nav.payments],
    ["/settings", settings.title],
  ] as const;
  return {
    id: "/",
    name: "Hivegate",
    short_name: "Hivegate",
    description: site.description,
    lang: language,
    dir: directionOf[language],
    start_url: "/chat",
    scope: "/",
    display: "standalone",
    theme_color: lightColours.canvas,
    background_color: lightColours.canvas,
    categories: ["social", "finance"],
    icons: [
      { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
    shortcuts: places.map(([url, name]) => ({
      name,
      url,
      icons: [{ src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" }],
    })),
  };
}
