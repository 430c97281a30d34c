"use client";

import { useTheme } from "next-themes";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import {
  type NotificationChoice,
  notificationChoice,
  turnOffNotifications,
  turnOnNotifications,
} from "../_chat/data/notifications.ts";
import { skinTone } from "../_chat/emoji/skin-tone.ts";
import { previews } from "../_chat/media/links.ts";
import { SpendLimits } from "../_pay/spend-limits.tsx";
import { personHere } from "../_session/person.ts";
import { Button } from "../_ui/button.tsx";
import { chooseLanguage, chosenLanguage } from "../_ui/choose-language.ts";
import { install, useInstallation } from "../_ui/installed.ts";
import type { Language } from "../_ui/language.ts";
import { Skeleton } from "../_ui/skeleton.tsx";
import { density } from "../_ui/theme.tsx";
import { SignIns } from "./sign-ins.tsx";
import { strings } from "./strings.en.ts";

/** The settings of this browser, shown once the stored ones have been read. */
export function SettingsView() {
  const [isReady, setIsReady] = useState(false);
  useEffect(() => setIsReady(true), []);
  if (!isReady) return <Skeleton className="mt-6 h-96 rounded-2xl" />;
  return (
    <div className="mt-6 space-y-4">
      <LanguageChoice />
      <ThemeChoice />
      <DensityChoice />
      <SkinToneChoice />
      <PreviewsChoice />
      <Notifications />
      <Card title={strings.limits.title}>
        <SpendLimits />
      </Card>
      {personHere() !== null && (
        <Card title={strings.signIns.title}>
          <p className="mb-2 text-sm text-ink-soft">{strings.signIns.text}</p>
          <SignIns />
        </Card>
      )}
      <AppCard />
    </div>
  );
}

const card = "rounded-2xl border border-line bg-surface p-5";

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={card} aria-label={title}>
      <h2 className="mb-3 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** One of a few options, side by side. */
function Choice<Name extends string>({
  title,
  text,
  names,
  value,
  onChoose,
}: {
  title: string;
  text?: string;
  names: Readonly<Record<Name, string>>;
  value: string;
  onChoose: (name: Name) => void;
}) {
  return (
    <fieldset className={card}>
      <legend className="float-start mb-3 w-full font-semibold">{title}</legend>
      {text && <p className="clear-both mb-3 text-sm text-ink-soft">{text}</p>}
      <div className="clear-both flex flex-wrap gap-2">
        {(Object.entries(names) as Array<[Name, string]>).map(([name, text]) => (
          <label
            key={name}
            className="flex h-10 cursor-pointer items-center rounded-lg border border-line px-4 text-sm hover:border-line-strong has-checked:border-line-strong has-checked:bg-selected has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name={title}
              className="sr-only"
              checked={value === name}
              onChange={() => onChoose(name)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Each language under its own name, for readers who know no other. */
const languageNames: Readonly<Record<Language, string>> = { en: "English", es: "Español" };

function LanguageChoice() {
  const [choice, setChoice] = useState<Language | null>(chosenLanguage);
  const choose = (name: Language | "browser") => {
    const chosen = name === "browser" ? null : name;
    setChoice(chosen);
    void chooseLanguage(chosen);
  };
  const { title, browser } = strings.language;
  return (
    <Choice
      title={title}
      names={{ browser, ...languageNames }}
      value={choice ?? "browser"}
      onChoose={choose}
    />
  );
}

function ThemeChoice() {
  const { theme = "system", setTheme } = useTheme();
  return <Choice title={strings.theme.title} names={strings.theme.names} value={theme} onChoose={setTheme} />;
}

function DensityChoice() {
  const value = useSyncExternalStore(density.subscribe, density.snapshot, density.snapshot);
  return <Choice {...strings.density} value={value} onChoose={density.choose} />;
}

function SkinToneChoice() {
  const value = useSyncExternalStore(skinTone.subscribe, skinTone.snapshot, skinTone.snapshot);
  return <Choice {...strings.skinTone} value={value} onChoose={skinTone.choose} />;
}

function PreviewsChoice() {
  const value = useSyncExternalStore(previews.subscribe, previews.snapshot, previews.snapshot);
  return <Choice {...strings.previews} value={value} onChoose={previews.choose} />;
}

function Notifications() {
  const [state, setState] = useState<NotificationChoice>(notificationChoice);
  const turnOn = async () => setState(await turnOnNotifications());
  const turnOff = () => {
    turnOffNotifications();
    setState(notificationChoice());
  };
  const { title, text, states } = strings.notifications;
  return (
    <Card title={title}>
      <p className="text-sm text-ink-soft">{text}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3 text-sm">
        <p role="status">{states[state]}</p>
        {state === "off" && <Button onClick={() => void turnOn()}>{strings.notifications.turnOn}</Button>}
        {state === "on" && <Button onClick={turnOff}>{strings.notifications.turnOff}</Button>}
      </div>
    </Card>
  );
}

function AppCard() {
  const state = useInstallation();
  const { title, text, states } = strings.app;
  return (
    <Card title={title}>
      <p className="text-sm text-ink-soft">{text}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3 text-sm">
        <p role="status">{states[state]}</p>
        {state === "offered" && <Button onClick={() => void install()}>{strings.app.install}</Button>}
      </div>
    </Card>
  );
}
