// A step in JavaScript, made into a component without any of the tool's switches that leave WASI out. Its payload, a JSON
// string, says what it does.
import { seed } from 'onceward:step/context@0.1.0';
import { note } from 'onceward:step/journal@0.1.0';

const HOUR_MS = 3_600_000;

function done(output) {
  return { tag: 'done', val: { output: JSON.stringify(output), needsReview: undefined } };
}

function sleep(ms) {
  return new Promise((wake) => setTimeout(wake, ms));
}

const wishes = {
  // The clock, and what goes by of it while the step works.
  time: () => {
    const before = Date.now();
    for (let turn = 0; turn < 1_000_000; turn++);
    return done({ before, after: Date.now(), iso: new Date().toISOString() });
  },
  sleep: async () => {
    const [before, ticks] = [Date.now(), performance.now()];
    await sleep(HOUR_MS);
    return done({ slept: Date.now() - before, ticked: performance.now() - ticks });
  },
  random: () => {
    const bytes = Array.from(crypto.getRandomValues(new Uint8Array(8)));
    return done({ numbers: [Math.random(), Math.random()], bytes, id: crypto.randomUUID(), seed: String(seed('a')) });
  },
  log: () => {
    console.log('two\nlines');
    console.error('what is wrong');
    note('noted');
    return done(null);
  },
  fail: () => {
    throw { tag: 'review', val: 'a person must look' };
  },
  throw: () => {
    throw new Error('this was thrown');
  },
  fetch: async () => {
    const response = await fetch('https://example.com/');
    return done(response.status);
  },
  never: async () => {
    await new Promise(() => {});
    return done(null);
  },
  spin: () => {
    const until = Date.now() + 1;
    while (Date.now() < until);
    return done(null);
  },
};

export const guest = {
  contract: () => ({
    name: 'from-javascript',
    version: 1,
    identity: { tag: 'event-key' },
    normalisation: { volatile: [], urls: [], times: [], trimmed: [], contentFields: undefined },
    window: { tag: 'for-ever' },
    response: 'original',
    mode: 'recorded',
    destinations: [],
    models: [],
  }),

  handle: (work) => wishes[JSON.parse(work.payload)](),
};
