import React, { useState, type FC } from "react";
import { Button } from "./button";
import * as Icons from "../icons";

interface Props<T> {
  items: T[];
  render?: (item: T) => JSX.Element;
}

/** One line of the list. */
export const Row: FC<{ label: string }> = ({ label, ...rest }) => <li {...rest}>{label}</li>;

export function List<T extends { id: string }>({ items, render = show }: Props<T>) {
  const [open, setOpen] = useState<boolean>(false);
  const onToggle = React.useCallback((next: boolean) => setOpen(next), []);
  return (
    <>
      <Button<T> onClick={() => onToggle(!open)} icon={<Icons.Arrow size={2} />}>
        {items.length}
      </Button>
      {open && items.map((item) => <Row key={item.id} label={item.id} />)}
      {render(items[0] as T)}
      <my-element data-x={1} />
    </>
  );
}

function show<T>(item: T): JSX.Element {
  return <span>{String(item)}</span>;
}

export default class App extends React.Component<Props<string>> {
  state = { list: null as List | null };
  render() {
    return <List items={this.props.items} render={this.show} />;
  }
  private show = (text: string) => <b>{text}</b>;
}

export const Lazy = React.memo(React.forwardRef<HTMLElement, Props<string>>((props, ref) => <App {...props} />));
