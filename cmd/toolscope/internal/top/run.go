// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Run shows the view on a terminal until the person leaves or ctx is done. Leaving is
// no error.
func Run(ctx context.Context, source Source, options Options, in io.Reader, out io.Writer) error {
	return run(ctx, source, options, tea.WithInput(in), tea.WithOutput(out))
}

func run(ctx context.Context, source Source, options Options, terminal ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what is still asked when the person leaves
	p := tea.NewProgram(&program{Model: New(ctx, source, options)}, append(terminal, tea.WithContext(ctx), tea.WithFPS(30))...)
	if _, err := p.Run(); err != nil && !errors.Is(err, tea.ErrInterrupted) && ctx.Err() == nil {
		return err
	}
	return nil
}

// program is the model as Bubble Tea runs it: its Update is called by one goroutine.
type program struct {
	*Model
	asking  bool
	askedAt time.Time
}

type (
	tickMsg  time.Time
	stateMsg struct {
		number uint64
		state  *State
		err    error
	}
	contentMsg struct {
		key     string
		content Content
		err     error
	}
)

// beat is how often clocks move on.
const beat = time.Second

func tick() tea.Cmd {
	return tea.Tick(beat, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// Init asks for the first time.
func (p *program) Init() tea.Cmd {
	p.now = time.Now()
	return tea.Batch(p.ask(), tick())
}

// ask asks for a state.
func (p *program) ask() tea.Cmd {
	p.asked++
	p.asking, p.askedAt = true, p.now
	number, window := p.asked, p.window
	return func() tea.Msg {
		s, err := p.source.State(p.ctx, window)
		return stateMsg{number, s, err}
	}
}

// Update takes what happened.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
		return p, p.fetch()
	case tea.PasteMsg:
		p.typeText(msg.Content)
	case tea.KeyPressMsg:
		switch p.press(msg.String(), msg.Text) {
		case quit:
			return p, tea.Quit
		case redraw:
			return p, tea.ClearScreen
		case suspend:
			return p, tea.Suspend
		case askNow:
			return p, p.ask()
		}
		return p, p.fetch()
	case tickMsg:
		if p.paused {
			return p, tick()
		}
		p.now = time.Time(msg)
		if !p.asking && p.now.Sub(p.askedAt) >= p.options.Every {
			return p, tea.Batch(p.ask(), tick())
		}
		return p, tick()
	case stateMsg:
		p.asking = p.asking && msg.number != p.asked
		p.now = time.Now()
		p.answered(msg.number, msg.state, msg.err)
		return p, p.fetch()
	case contentMsg:
		p.fetching = false
		if msg.err != nil {
			msg.content = Content{Why: "No content: " + msg.err.Error()}
		}
		p.keep(msg.key, msg.content)
		return p, p.fetch()
	}
	return p, nil
}

// fetch asks for the content of one call that is on the screen and whose content is
// not known.
func (p *program) fetch() tea.Cmd {
	c, ok := p.wanted()
	if p.fetching || !ok {
		return nil
	}
	p.fetching = true
	return func() tea.Msg {
		content, err := p.source.Content(p.ctx, c)
		return contentMsg{c.Key, content, err}
	}
}

// View is the frame.
func (p *program) View() tea.View {
	v := tea.NewView(strings.Join(p.Frame(), "\n"))
	v.AltScreen = true
	v.WindowTitle = "toolscope top"
	return v
}
