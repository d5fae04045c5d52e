// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// A challenge is the answer that asks for a sign-in: 401, or 403 for more scopes.
type challenge struct {
	status int
	header http.Header
	reach  reach // of the server that gave it
}

// signIn signs a person in: it has the SDK find the authorization server and register a client there, sends the
// person to the server's page, and exchanges the code that comes back to a loopback address. had is what was
// signed in before, whose scopes are asked for again.
func (c *Client) signIn(ctx context.Context, asked challenge, had *Credentials) (*Credentials, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", c.o.Port))
	if err != nil {
		return nil, fmt.Errorf("the address to come back to: %w", err)
	}
	back := newReturn(l)
	defer back.close()
	t := &traffic{
		reach: asked.reach, resource: c.resource, discovery: newDiscovery(c.o.Target, asked.header, c.o.Say),
	}
	made := &Credentials{Target: c.o.Target.String(), Reach: asked.reach}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:         back.url,
		RequestRefreshToken: true,
		Client:              t.client(),
		ScopeFilter: func(found []string) []string {
			if len(c.o.Scopes) > 0 && asked.status != http.StatusForbidden {
				found = c.o.Scopes
			}
			if had != nil {
				found = union(had.Scopes, found)
			}
			made.Scopes = found
			return found
		},
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if !t.hasMetadata() {
				c.o.Say("the authorization server of %s has no metadata, so its default addresses are used", c.o.Target.Host)
			}
			return c.askPerson(ctx, back, a.URL, made)
		},
		NewTokenSource: func(_ context.Context, conf *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			issuer := t.issuer(conf.Endpoint.TokenURL)
			made.Issuer, made.RevokeURL = issuer.Issuer, issuer.RevocationEndpoint
			made.ClientID, made.ClientSecret = conf.ClientID, conf.ClientSecret
			made.TokenURL, made.AuthStyle = conf.Endpoint.TokenURL, conf.Endpoint.AuthStyle
			made.Scopes = conf.Scopes
			made.SignedIn = time.Now().UTC().Truncate(time.Second)
			return oauth2.StaticTokenSource(token), made.takeToken(token)
		},
	}
	c.register(config)
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.Target.String(), nil)
	if err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: asked.status, Header: asked.header, Body: http.NoBody, Request: req}
	if err := handler.Authorize(ctx, req, resp); err != nil {
		if rejected := t.discovery.refusal(); rejected != nil {
			err = rejected
		}
		return nil, plain(err)
	}
	if made.AccessToken == "" {
		return nil, errors.New("the authorization server gave no token")
	}
	return made, nil
}

// register says how this client is known to authorization servers: by the id that the user gave, which may be the
// address of a metadata document, or else by dynamic registration.
func (c *Client) register(config *auth.AuthorizationCodeHandlerConfig) {
	switch id := c.o.ClientID; {
	case strings.HasPrefix(id, "https://"):
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: id}
	case id != "":
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: id}
		if c.o.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: c.o.ClientSecret}
		}
		return
	}
	config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
		Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "toolscope", RedirectURIs: []string{config.RedirectURL}, ResponseTypes: []string{"code"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none",
		},
	}
}

// askPerson sends a person to the authorization server's page, and waits for what comes back.
func (c *Client) askPerson(
	ctx context.Context,
	back *comeBack,
	page string,
	made *Credentials,
) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, errors.New("the authorization server's page has no address that can be read")
	}
	if err := checkPage(ctx, u, made.Reach); err != nil {
		return nil, err
	}
	query := u.Query()
	made.Resource = c.resource(query.Get("resource"))
	if query.Del("resource"); made.Resource != "" {
		query.Set("resource", made.Resource)
	}
	u.RawQuery = query.Encode()
	c.o.Say("sign in to %s within %.0f minutes at %s", c.o.Target.Host, c.o.Wait.Minutes(), u)
	if err := c.o.Open(u.String()); err != nil {
		c.o.Say("the page could not be opened here: %v", err)
	}
	return back.wait(ctx, query.Get("state"))
}

// resource is what a token is asked for: what the user said, else what the server's metadata names.
func (c *Client) resource(found string) string {
	if c.o.NoResource {
		return ""
	}
	if c.o.Resource != "" {
		return c.o.Resource
	}
	return found
}

// takeToken takes over a token.
func (c *Credentials) takeToken(token *oauth2.Token) error {
	if !strings.EqualFold(token.Type(), "Bearer") {
		return errors.New("the authorization server gave a token that is no bearer token")
	}
	if token.AccessToken == "" ||
		strings.ContainsFunc(token.AccessToken, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("the authorization server gave a token that no header can carry")
	}
	c.AccessToken, c.Expires, c.Renewed = token.AccessToken, token.Expiry.UTC(), time.Now().UTC()
	if token.Expiry.IsZero() {
		c.Expires = time.Time{}
	}
	if token.RefreshToken != "" {
		c.RefreshToken = token.RefreshToken
	}
	if granted, _ := token.Extra("scope").(string); granted != "" {
		c.Scopes = strings.Fields(granted)
	}
	return nil
}

// refresh gets a new token for the same resource. over says that the server will not give one: a person has to
// sign in again.
func (c *Client) refresh(ctx context.Context, had *Credentials) (_ *Credentials, over bool, _ error) {
	t := &traffic{reach: had.Reach, resource: func(string) string { return had.Resource }}
	conf := oauth2.Config{
		ClientID: had.ClientID, ClientSecret: had.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: had.TokenURL, AuthStyle: had.AuthStyle},
	}
	source := conf.TokenSource(
		context.WithValue(ctx, oauth2.HTTPClient, t.client()),
		&oauth2.Token{RefreshToken: had.RefreshToken},
	)
	token, err := source.Token()
	if err != nil {
		var answer *oauth2.RetrieveError
		over := errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode < 500 &&
			answer.Response.StatusCode != http.StatusTooManyRequests && answer.Response.StatusCode != http.StatusRequestTimeout
		return nil, over, plain(err)
	}
	made := *had
	return &made, false, made.takeToken(token)
}

// revoke tells the authorization server that the tokens are not used any more (RFC 7009).
func revoke(ctx context.Context, had *Credentials) error {
	token := had.RefreshToken
	if token == "" {
		token = had.AccessToken
	}
	form := url.Values{"token": {token}}
	if had.AuthStyle != oauth2.AuthStyleInHeader {
		form.Set("client_id", had.ClientID)
		if had.ClientSecret != "" {
			form.Set("client_secret", had.ClientSecret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, had.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return errors.New("the authorization server's address for revocations cannot be read")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if had.AuthStyle == oauth2.AuthStyleInHeader {
		req.SetBasicAuth(url.QueryEscape(had.ClientID), url.QueryEscape(had.ClientSecret))
	}
	t := &traffic{reach: had.Reach}
	resp, err := t.client().Do(req)
	if err != nil {
		return plain(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the authorization server answered %d to the revocation", resp.StatusCode)
	}
	return nil
}

// union is a list with what of another it has not.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
