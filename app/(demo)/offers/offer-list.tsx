"use client";

import Link from "next/link";
import { type FormEvent, useState } from "react";
import type { FoundResources, ResourcesPage } from "../../../lib/contract/payment-answers.ts";
import { useShopHere } from "../_pay/shop-here.tsx";
import { Unavailable } from "../_session/unavailable.tsx";
import { useResource } from "../_session/use-resource.ts";
import { Button, buttonLook } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { OfferCard } from "./offer-card.tsx";
import { strings } from "./strings.en.ts";

const SHOWN = 50;
const MAX_WORDS = 200;

const pathFor = (words: string) =>
  words === ""
    ? `/api/x402/discovery/resources?limit=${SHOWN}`
    : `/api/x402/discovery/search?limit=${SHOWN}&query=${encodeURIComponent(words)}`;

/** The catalogue of this server, with a search. */
export function OfferList() {
  const [typed, setTyped] = useState("");
  const [words, setWords] = useState("");
  const { data, error, retry } = useResource<ResourcesPage | FoundResources>(pathFor(words));
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setWords(typed.trim());
  };
  const showAll = () => {
    setTyped("");
    setWords("");
  };
  return (
    <>
      <search>
        <form onSubmit={search} className="mt-6 flex items-end gap-2">
          <TextField
            type="search"
            label={strings.search}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            maxLength={MAX_WORDS}
            className="min-w-0 grow"
          />
          <Button type="submit" className="h-11">
            {strings.searchButton}
          </Button>
        </form>
      </search>
      <div aria-busy={!data && !error} className="mt-6">
        {error ? (
          <Unavailable error={error} onRetry={retry} />
        ) : (
          <Found data={data} words={words} onAll={showAll} />
        )}
      </div>
    </>
  );
}

function Found({
  data,
  words,
  onAll,
}: {
  data: ResourcesPage | FoundResources | undefined;
  words: string;
  onAll: () => void;
}) {
  if (!data)
    return (
      <div className="space-y-4">
        <Skeleton className="h-44 rounded-2xl" />
        <Skeleton className="h-44 rounded-2xl" />
      </div>
    );
  const listings = "items" in data ? data.items : data.resources;
  if (listings.length === 0) return words === "" ? <Empty /> : <NoneFound words={words} onAll={onAll} />;
  const isPart = "items" in data ? data.pagination.total > listings.length : data.partialResults;
  return (
    <>
      <ul className="space-y-4">
        {listings.map((listing) => (
          <OfferCard
            key={`${listing.extensions.bazaar.info.input.method} ${listing.resource}`}
            listing={listing}
          />
        ))}
      </ul>
      {isPart && <p className="mt-4 text-sm text-ink-soft">{strings.more}</p>}
    </>
  );
}

function Empty() {
  const hasShop = useShopHere();
  return (
    <Notice
      title={strings.empty.title}
      actions={
        hasShop && (
          <Link href="/articles" prefetch={false} className={buttonLook({ tone: "primary" })}>
            {strings.empty.action}
          </Link>
        )
      }
    >
      <p>{hasShop ? strings.empty.text : strings.empty.textWithoutShop}</p>
    </Notice>
  );
}

function NoneFound({ words, onAll }: { words: string; onAll: () => void }) {
  return (
    <Notice title={strings.none.title(words)} actions={<Button onClick={onAll}>{strings.all}</Button>}>
      <p>{strings.none.text}</p>
    </Notice>
  );
}
