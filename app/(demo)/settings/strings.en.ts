import { inLanguages } from "../_ui/language.ts";

/** The texts of the settings. */
export const strings = inLanguages("settings", {
  title: "Settings",
  lead: "They hold for this browser.",
  theme: { title: "Theme", names: { system: "As the system", light: "Light", dark: "Dark" } },
  language: { title: "Language", browser: "As the browser" },
  density: {
    title: "Density of messages",
    names: { roomy: "Roomy", compact: "Compact" },
  },
  previews: {
    title: "Previews of links",
    text: "This server looks behind the links in messages; the sites that they lead to learn nothing of you.",
    names: { on: "Show", off: "Don't show" },
  },
  notifications: {
    title: "Notifications",
    text: "Of mentions and direct messages, while a page of the chat is open.",
    states: {
      on: "They are on.",
      off: "They are off.",
      denied: "The browser blocks them. Allow them for this site in its settings, then reload this page.",
      missing: "Not available here: install the app, see below, and turn them on there.",
    },
    turnOn: "Turn on",
    turnOff: "Turn off",
  },
  limits: { title: "Limits of payments" },
  app: {
    title: "Install as an app",
    text: "With a window and an icon of its own, and a number on the icon when you are mentioned.",
    install: "Install",
    states: {
      installed: "You are using it as an app.",
      offered: "This browser can install it.",
      unknown: "Look for “Install” or “Add to home screen” in the browser's menu; not every browser has it.",
    },
  },
});
