// The page: who is logged in decides what is shown; the address says which view.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Route, Switch } from "wouter-preact";
import type { WhoAmIResponse } from "../gen/pinka/v1/report_pb";
import { isLoggedOut, logOut, reports, sentence } from "./api";
import { useZone } from "./format";
import { pulse, usePulse } from "./live";
import { MeContext } from "./me";
import { Frame } from "./frame";
import { Job } from "./pages/job";
import { Jobs } from "./pages/jobs";
import { LogIn } from "./pages/login";
import { Nodes } from "./pages/nodes";
import { Overview } from "./pages/overview";
import { Packages } from "./pages/packages";
import { Settle } from "./pages/settle";
import { Spending } from "./pages/spending";
import { Submit } from "./pages/submit";
import { firstLanguage, keepLanguage, type Language, WordsContext, wordsOf } from "./words";
import "./style.css";

function Views() {
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/spending" component={Spending} />
      <Route path="/packages" component={Packages} />
      <Route path="/jobs" component={Jobs} />
      <Route path="/jobs/:id">{(params) => <Job key={params.id} id={params.id} />}</Route>
      <Route path="/nodes" component={Nodes} />
      <Route path="/settle" component={Settle} />
      <Route path="/submit" component={Submit} />
      <Route component={Overview} />
    </Switch>
  );
}

function Page() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [me, setMe] = useState<WhoAmIResponse>();
  const [out, setOut] = useState(false);
  const [problem, setProblem] = useState<string>();
  const beat = usePulse();

  const whoAmI = () =>
    reports.whoAmI({}).then(
      (answer) => {
        useZone(answer.timezone);
        setMe(answer);
        setOut(false);
        setProblem(undefined);
        pulse.loggedOut = false;
        pulse.start();
      },
      (error: unknown) => (isLoggedOut(error) ? setOut(true) : setProblem(sentence(error))),
    );
  useEffect(() => void whoAmI(), []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  const words = wordsOf(language);
  const flip = () => {
    const next = language === "en" ? "zh" : "en";
    keepLanguage(next);
    setLanguage(next);
  };
  const leave = () =>
    void logOut().then(() => {
      pulse.stop();
      setMe(undefined);
      setOut(true);
    });

  let shown = <p class="quiet lonely">{problem ?? words.loading}</p>;
  if (out || beat.loggedOut) shown = <LogIn done={() => void whoAmI()} flip={flip} />;
  else if (me)
    shown = (
      <MeContext.Provider value={me}>
        <Frame flip={flip} leave={leave}>
          <Views />
        </Frame>
      </MeContext.Provider>
    );
  return <WordsContext.Provider value={words}>{shown}</WordsContext.Provider>;
}

render(<Page />, document.getElementById("page")!);
