import type { Article } from "./article.ts";

export const oneKeyForEachJob: Article = {
  slug: "one-key-for-each-job",
  title: "One key for each job",
  teaser: "How a chain account signs you in to a team chat without putting your money at risk.",
  body: `Most systems give you one password, and with it goes everything. Whoever reads it over your shoulder can write in your name, empty your account and change the password so that you can't come back. A Hive account works more like a good bunch of keys: the one for the letter box does not open the safe.

## Four keys

The **posting** key speaks for you. It signs posts, votes and follows, and it can sign a text that says "this is me". It can't move a single token.

The **active** key spends. Transfers need it, and so do the other things that concern your property.

The **owner** key changes the others. It belongs on paper in a drawer, because with it you can always take the account back.

The **memo** key reads and writes encrypted notes that travel with transfers, and does nothing else.

Since the last major upgrade of the chain they no longer stand in for one another: a transfer signed with the owner key is refused, although that key is the stronger one. It sounds pedantic and is a relief. A program that checks a payment has exactly one question to ask.

## Signing in to a chat

Now to the team chat. It has its own users and its own tokens, and it knows nothing of chains. Between it and the browser stands a gateway, and the gateway asks for a signature instead of a password.

It sends a short text with a random number and the time. A wallet in the browser shows the text and signs it with the posting key. The gateway fetches the account's public keys from the chain, checks that this signature was made by one of them, and opens the chat in the name of the account. Nothing secret has crossed the network, there is no table of passwords that could be stolen, and a text that somebody recorded yesterday is useless today.

## What the chain adds

A name on the chain is worth more than a name in a database. If you are *carol* there, nobody else can be *carol* here, and the channels that you join can follow the communities that you belong to. The moderators of a community are written down in public; when one is appointed or dismissed, the chat follows within a minute, without anybody keeping two lists in step.

It also sets a limit that is easy to explain. The chat never needs your active key, so it never asks for it. If a window that calls itself a chat does ask, close it.

## Losing a key

Keys get lost, and laptops get stolen. If it is the posting key, you sign a change with a stronger one, and every sign-in that was made with the old key ends, because the gateway asks the chain and not its own memory. If it is the owner key, there is still a way: for thirty days the account's recovery partner, whom you chose beforehand, can help to undo the damage together with you. No help desk is involved, and no question about the name of your first pet.`,
};
