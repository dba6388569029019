// English and Chinese. The choice is kept in the browser; at first it is the browser's own.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { en, type Words } from "./words/en";
import { zh } from "./words/zh";

export type Language = "en" | "zh";
const KEY = "pinka-language";

export function firstLanguage(): Language {
  const kept = localStorage.getItem(KEY);
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.startsWith("zh") ? "zh" : "en";
}
export function keepLanguage(language: Language) {
  localStorage.setItem(KEY, language);
}
export const wordsOf = (language: Language): Words => (language === "zh" ? zh : en);

export const WordsContext = createContext<Words>(en);
export const useWords = () => useContext(WordsContext);

/** "{0} of {1}" with its parts. */
export const fill = (text: string, ...parts: (string | number)[]) =>
  text.replace(/\{(\d)\}/g, (_, n: string) => String(parts[Number(n)] ?? ""));
