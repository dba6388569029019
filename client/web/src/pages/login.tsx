import { useState } from "preact/hooks";
import { logIn } from "../api";
import { useWords } from "../words";

export function LogIn(props: { done: () => void; flip: () => void }) {
  const words = useWords();
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const enter = (event: Event) => {
    event.preventDefault();
    logIn(token).then(props.done, (error: Error) => setProblem(error.message));
  };
  return (
    <main class="login">
      <h1>
        <img src="/icon.svg" alt="" width="32" height="32" /> pinka
      </h1>
      <form onSubmit={enter}>
        <input class="unseen" name="username" autocomplete="username" value="pinka" readOnly tabIndex={-1} aria-hidden="true" />
        <label class="field">
          <span>{words.token}</span>
          <input
            type="password"
            name="token"
            autocomplete="current-password"
            required
            aria-describedby="token-hint"
            value={token}
            onInput={(e) => setToken(e.currentTarget.value)}
          />
        </label>
        <p id="token-hint" class="quiet">
          {words.tokenHint}
        </p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">{words.logIn}</button>
        <button type="button" class="plain" onClick={props.flip}>
          {words.language}
        </button>
      </form>
    </main>
  );
}
