import type { Article } from "./article.ts";

export const threeSecondsAndNoFee: Article = {
  slug: "three-seconds-and-no-fee",
  title: "Three seconds and no fee",
  teaser:
    "Why a payment of five cents makes sense on Hive, and what happens to it between the click and the block.",
  body: `A card payment of five cents costs the shop more than five cents. That one sentence explains most of the web as we know it: the subscription for a single article, the account you had to open for one download, the banner beside the recipe. Nobody could sell small things one at a time, so nobody did.

## What a transfer costs on Hive

A transfer on Hive has no fee. That is not a special offer. Every account that holds staked tokens has *resource credits*, a bucket of the chain's capacity that fills itself again over five days. A transfer takes a little out of the bucket, and the payer's balance goes down by exactly what the payee's goes up. A payment of 0.050 HBD arrives as 0.050 HBD.

The unit matters too. HBD is meant to be worth about one US dollar, because the chain converts it into a dollar's worth of its other token, and back, at a price that its elected producers report. A price tag in HBD means the same thing next week. It has three decimals, so the smallest possible price is a tenth of a cent.

## From the signature to the block

The payer's program writes down the transfer: from whom, to whom, how much, and a memo. It adds a reference to a recent block, which ties the transfer to this chain and this history, and a time at which the whole thing becomes worthless, usually a minute ahead. Then it signs. Until here nothing has left the payer's computer.

Somebody sends the signed transfer to a node. It need not be the payer: whoever holds the signed text can hand it in, but nobody can change a letter of it. The node checks the signature against the account's active key, checks the balance, and passes it on. Every three seconds one of the block producers collects what is waiting and makes a block of it.

## When is it final?

A block could in theory be replaced while the network still argues about it. For years, waiting that out took most of a minute. Now the producers confirm each block as soon as they see it, and with two thirds of them agreeing it can't be undone: in ordinary operation that takes about a second after the block.

So a shop has two honest choices. For an article that costs five cents, being in a block is enough. For a laptop, wait for the block that can't be undone. Either way the customer has not finished reading the first line before the money is there.

## What is left to do

Nothing of this needs a payment company between the two. It does need care. The shop must be certain that one transfer opens one article, once, even if a connection breaks at the worst moment. The next article is about the answer that a web server gives to arrange all that: the one with the number 402.`,
};
