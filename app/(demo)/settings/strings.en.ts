import { inLanguages } from "../_ui/language.ts";

/** The texts of the settings. */
export const strings = inLanguages("settings", {
  title: "Settings",
  lead: "Saved in this browser only, except for where you are signed in.",
  theme: { title: "Theme", names: { system: "System", light: "Light", dark: "Dark" } },
  language: { title: "Language", browser: "Automatic" },
  density: {
    title: "Message density",
    names: { roomy: "Comfortable", compact: "Compact" },
  },
  skinTone: {
    title: "Skin tone of emoji",
    names: {
      none: "👋 Default",
      light: "👋🏻 Type 1-2",
      "medium-light": "👋🏼 Type 3",
      medium: "👋🏽 Type 4",
      "medium-dark": "👋🏾 Type 5",
      dark: "👋🏿 Type 6",
    },
  },
  previews: {
    title: "Link previews",
    text: "This server looks up the links in messages for you, so the sites learn nothing about you.",
    names: { on: "Show", off: "Hide" },
  },
  notifications: {
    title: "Notifications",
    text: "For mentions and direct messages, while the chat is open in a tab.",
    states: {
      on: "They are on.",
      off: "They are off.",
      denied: "Your browser blocks them. Allow them for this site in its settings, then reload this page.",
      missing: "Not available here. Install the app, as told below, and turn them on there.",
    },
    turnOn: "Turn on",
    turnOff: "Turn off",
  },
  limits: { title: "Payment limits" },
  signIns: {
    title: "Where you are signed in",
    text: "If you don't recognize one, sign it out, then change your posting key: nobody stays signed in with the old key.",
    device: (program: string | undefined, system: string | undefined) =>
      program && system ? `${program} on ${system}` : (program ?? system ?? "Unknown device"),
    times: (opened: string, seen: string) => `Signed in ${opened}. Last used ${seen}.`,
    byApp: (app: string) => `Through ${app}`,
    current: "This device",
    end: "Sign out",
    endOf: (name: string, opened: string) => `Sign out: ${name}, signed in ${opened}`,
    endOthers: "Sign out everywhere else",
    ended: "Signed out there.",
    endedOthers: "Signed out everywhere else.",
    retry: "Try again",
  },
  app: {
    title: "Install as an app",
    text: "It gets its own window and icon, with a number on the icon when you are mentioned.",
    install: "Install",
    states: {
      installed: "You are using it as an app.",
      offered: "This browser can install it.",
      unknown: "Look for “Install” or “Add to home screen” in the browser's menu; not every browser has it.",
    },
  },
});
