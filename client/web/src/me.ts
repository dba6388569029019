// Who is logged in, and in which lab.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WhoAmIResponse } from "../gen/pinka/v1/report_pb";

export const MeContext = createContext<WhoAmIResponse>(undefined as unknown as WhoAmIResponse);
export function useMe() {
  const me = useContext(MeContext);
  return { name: me.name, lab: me.lab, currency: me.currency, admin: me.roles.includes("admin") };
}
